"""Before the first call: what a model must be able to do, and what is left of the trial."""

import pytest

from voiced.errors import UnavailableError
from voiced.llm.warming import warmed

pytestmark = pytest.mark.unit


class TrialContext:
    """A context of letters that may be unable to forget, as models with a running state are."""

    batch_tokens = 512

    def __init__(self, *, forgets: bool = True) -> None:
        self.forgets = forgets
        self.caches = dict.fromkeys(range(4), 0)
        self.outputs: list[int] = []
        self.largest = 0

    def decode(self, runs) -> None:
        for run in runs:
            assert run.start == self.caches[run.sequence]
            self.caches[run.sequence] += len(run.tokens)
            self.largest = max(self.largest, len(run.tokens))
        self.outputs.append(sum(run.output for run in runs))

    def can_cut(self, sequence: int, length: int) -> bool:
        if self.forgets or length == 0:
            self.caches[sequence] = min(length, self.caches[sequence])
            return True
        return False

    def cut(self, sequence: int, length: int) -> None:
        assert self.can_cut(sequence, length)

    def held(self, sequence: int) -> int:
        return self.caches[sequence]


def test_the_largest_shapes_have_run_and_nothing_is_left_of_them() -> None:
    context = TrialContext()
    warmed(context, 4)

    assert (512, 4) == (context.largest, max(context.outputs))
    assert [0] * 4 == list(context.caches.values())


def test_a_model_that_cannot_roll_back_is_refused() -> None:
    with pytest.raises(UnavailableError, match="cannot roll its memory back"):
        warmed(TrialContext(forgets=False), 4)
