# ruff: noqa: RUF002 - letters of the phonetic alphabet look like others
"""Which word of a clause is over when: from the phonemes' lengths back to the words.

    clause    It's open—until eight.      words of the clause: It's  open—until  eight.
    phrases   It's open | until eight     words that were spoken: It's open until eight
    phonemes  ɪts oʊpən   ʌntɪl eɪt       tokens: what espeak-ng has between two spaces

A token may be two words ("of the" is said as one), and a word two tokens. Pure; it does not know
voices or rates.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import accumulate

from voiced.tts.phonemes import Phrase

Ended = tuple[str, float]
"""A word that was spoken, and the second at which it is over."""

_LENGTHLESS = frozenset("ˈˌː")
"""Signs of a phoneme that are no phoneme."""

_MARKS = frozenset(".,!?;:")

_DIGIT = 3
"""A digit takes as long to say as three letters."""


def token_of(words: Sequence[str], tokens: Sequence[str]) -> list[int]:
    """For each word of a phrase the number of the token with which it is over; tokens not empty.

    Where there are as many words as tokens, that is clear. Else each token has a word and each word
    a token, so that their ends lie, by letters and phonemes, as near to each other as they can.
    """
    if len(words) == len(tokens):
        return list(range(len(words)))
    by_letters = _shares([_length(word) for word in words])
    by_phonemes = _shares([sum(sign not in _LENGTHLESS for sign in token) for token in tokens])
    if len(words) < len(tokens):
        return _nearest(by_letters, by_phonemes)
    last_words = _nearest(by_phonemes, by_letters)
    return [bisect_left(last_words, word) for word in range(len(words))]


def ended(
    said: Sequence[tuple[Phrase, str]], symbols: str, seconds: Sequence[float]
) -> list[Ended]:
    """The words of phrases with their phonemes; `seconds` at which each symbol of them is over.

    A space between two symbols ends the token before it; marks belong to no word.
    """
    ends: list[float] = []
    over_at = 0.0
    for symbol, second in zip(symbols, seconds, strict=True):
        if symbol == " ":
            ends.append(over_at)
        elif symbol not in _MARKS:
            over_at = second
    ends.append(over_at)
    found: list[Ended] = []
    begun = 0
    for phrase, phonemes in said:
        words, tokens = phrase.text.split(), phonemes.split(" ")
        places = token_of(words, tokens)
        # of a line that was too long for the voice, the last words have no symbols
        over = [ends[min(begun + place, len(ends) - 1)] for place in places]
        found += zip(words, over, strict=True)
        begun += len(tokens)
    return found


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


def _nearest(few: Sequence[float], many: Sequence[float]) -> list[int]:
    """For each end among `few` the place of one among `many`: rising, the last the last.

    The least sum of distances, found place by place: `best[i]` is that of the ends up to the
    present one when it lies at place i, with the places chosen.
    """
    best: list[tuple[float, list[int]]] = [(0.0, [])]
    for number, end in enumerate(few):
        left = len(few) - number - 1
        least: list[tuple[float, list[int]]] = []
        for place in range(number, len(many) - left):
            cost, places = min(best[: place - number + 1])
            least.append((cost + abs(many[place] - end), [*places, place]))
        best = least if number + 1 < len(few) else least[-1:]
    return best[0][1]


def _shares(lengths: Sequence[int]) -> list[float]:
    """Where each piece ends, of the whole."""
    total = max(sum(lengths), 1)
    return [end / total for end in accumulate(lengths)]


def _length(word: str) -> int:
    return sum(_DIGIT if sign.isdigit() else 1 for sign in word)


def _letters(word: str) -> int:
    return sum(sign.isalnum() for sign in word)
