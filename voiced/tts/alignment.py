# ruff: noqa: RUF002 - letters of the phonetic alphabet look like others
"""Which word of a clause is over when: from the phonemes' lengths back to the words.

    clause    It's open—until eight.      words of the clause: It's  open—until  eight.
    phrases   It's open | until eight     words that were spoken: It's open until eight
    phonemes  ɪts oʊpən   ʌntɪl eɪt       tokens: what espeak-ng has between two spaces

A token may be two words ("of the" is said as one), and a word two tokens. Pure; it does not know
voices or rates.
"""

from collections.abc import Iterable, Sequence
from itertools import accumulate

Ended = tuple[str, float]
"""A word that was spoken, and the second at which it is over."""

_STRESS = frozenset("ˈˌ")

_DIGIT = 3
"""A digit takes as long to say as three letters."""


def token_of(words: Sequence[str], tokens: Sequence[str]) -> list[int]:
    """For each word of a phrase the number of the token with which it is over; tokens not empty.

    Where there are as many words as tokens, that is clear. Else a word is over with the token that
    ends nearest to where the word does by its letters.
    """
    if len(words) == len(tokens):
        return list(range(len(words)))
    ends = _shares([sum(sign not in _STRESS for sign in token) for token in tokens])
    return [
        min(range(len(ends)), key=lambda number: abs(ends[number] - share))
        for share in _shares([_length(word) for word in words])
    ]


def word_ends(clause: str, said: Iterable[Ended]) -> list[float]:
    """Second at which each word of the clause is over, never falling.

    Words of the clause and words that were spoken have the same letters and digits in the same
    order, but not the same marks and spaces; so letters are counted.
    """
    found: list[float] = []
    spoken = iter(said)
    wanted = given = 0
    over_at = 0.0
    for word in clause.split():
        wanted += _letters(word)
        while given < wanted:
            spoken_word, end = next(spoken, ("", over_at))
            if not spoken_word:
                break
            given += _letters(spoken_word)
            over_at = max(over_at, end)
        found.append(over_at)
    return found


def _shares(lengths: Sequence[int]) -> list[float]:
    """Where each piece ends, of the whole."""
    total = max(sum(lengths), 1)
    return [end / total for end in accumulate(lengths)]


def _length(word: str) -> int:
    return sum(_DIGIT if sign.isdigit() else 1 for sign in word)


def _letters(word: str) -> int:
    return sum(sign.isalnum() for sign in word)
