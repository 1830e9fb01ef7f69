"""Every side of the benchmark gets the same prompts, and no call gains from another."""

from itertools import pairwise

import pytest

from voiced.bench.llm_prompts import HISTORY_TOKENS, LONG_TOKENS, made
from voiced.llm.conversation import Language
from voiced.llm.template import PlainTemplate

pytestmark = pytest.mark.unit


class LetterVocabulary:
    begin = None

    def tokens(self, text: str, *, special: bool) -> list[int]:
        del special
        return [ord(letter) for letter in text]

    def piece(self, token: int) -> bytes:
        return chr(token).encode()

    def ends(self, _token: int) -> bool:
        return False


def test_the_calls_differ_and_the_fifth_turn_goes_on_from_the_fourth() -> None:
    template = PlainTemplate("Caller:", "Receptionist:", ("\n",))
    calls = made(Language(template, LetterVocabulary(), 100_000, stamped=False), 4)

    assert 4 == len({tuple(prompt) for prompt in calls.fifth})
    assert all(len(prompt) >= HISTORY_TOKENS for prompt in calls.fourth)
    assert all(a == b[: len(a)] for a, b in zip(calls.fourth, calls.fifth, strict=True))
    assert all(one != other for one, other in pairwise(calls.short))
    assert LONG_TOKENS >= len(calls.long) > max(map(len, calls.fifth))
