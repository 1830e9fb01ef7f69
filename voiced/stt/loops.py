"""Finds repetition: a run of items that follows itself several times.

Recognisers that lose the thread write the same few words until they are stopped. Callers repeat
themselves too ("no, no, no"), so a run is a fact to be weighed and no verdict.

Pure. It does not know whether the items are tokens or words.
"""

from collections.abc import Hashable, Sequence
from typing import NamedTuple

TIMES = 4
"""Repetitions from which a run counts as one; three happen in ordinary speech."""

_LONGEST = 16
"""Items of the longest phrase that is looked for."""


class Run(NamedTuple):
    """`items[start : start + length]`, `times` times in a row."""

    start: int
    length: int
    times: int

    @property
    def end(self) -> int:
        return self.start + self.length * self.times


def longest(items: Sequence[Hashable]) -> Run | None:
    """The run of at least TIMES repetitions that covers most; the shortest phrase of those."""
    best: Run | None = None
    for length in range(1, min(_LONGEST, len(items) // TIMES) + 1):
        for run in _runs(items, length):
            if best is None or run.end - run.start > best.end - best.start:
                best = run
    return best


def _runs(items: Sequence[Hashable], length: int) -> list[Run]:
    """Every run of phrases of one length: where each item equals that `length` before it."""
    found = []
    start = 0
    for index in range(length, len(items) + 1):
        if index < len(items) and items[index] == items[index - length]:
            continue
        times = (index - start) // length
        if times >= TIMES:
            found.append(Run(start, length, times))
        start = index - length + 1
    return found
