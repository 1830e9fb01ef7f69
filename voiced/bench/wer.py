"""Word error rate: how many words have to be changed to make one text into another; and of letters.

Both texts are folded first, in the way of Whisper's own English normaliser but shorter: case and
punctuation go, titles and contractions are written out, numerals become words. It does not know who
wrote which text.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence

_WRITTEN_OUT = {
    "mr": "mister",
    "mrs": "missus",
    "dr": "doctor",
    "st": "saint",
    "ok": "okay",
    "'em": "them",
    "won't": "will not",
    "can't": "can not",
    "cannot": "can not",
    "let's": "let us",
}
_ENDINGS = (
    ("n't", " not"),
    ("'re", " are"),
    ("'ll", " will"),
    ("'ve", " have"),
    ("'m", " am"),
    ("'d", " would"),
)
_ONES = [
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"),
    *("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen"),
    *("eighteen", "nineteen"),
]
_TENS = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_WORD = re.compile(r"\d+|[^\W\d_]+(?:'[^\W\d_]+)*|'em\b")
_DIGITS = set(_ONES[:10])
_SPELLED = 5
"""Numerals of so many digits are taken as read digit by digit."""


def errors(reference: str, heard: str) -> tuple[int, int]:
    """Words to change, and words of the reference."""
    wanted, got = fold(reference), fold(heard)
    return _distance(wanted, got), len(wanted)


def letters(reference: str, heard: str) -> tuple[int, int]:
    """The same in letters: for languages that part their words otherwise than a recogniser does."""
    wanted, got = "".join(fold(reference)), "".join(fold(heard))
    return _distance(wanted, got), len(wanted)


def fold(text: str) -> list[str]:
    """The words that count."""
    text = unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'")
    text = re.sub(r"(?<=\d),(?=\d{3})", "", text)
    words = [word for found in _WORD.findall(text) for word in _spoken(found)]
    return [
        "zero" if word in ("oh", "o") and _beside_digit(words, index) else word
        for index, word in enumerate(words)
    ]


def _beside_digit(words: Sequence[str], index: int) -> bool:
    return any(word in _DIGITS for word in words[max(index - 1, 0) : index + 2])


def _spoken(word: str) -> Iterator[str]:
    if word.isdecimal():
        yield from _number(word)
        return
    word = _WRITTEN_OUT.get(word, word)
    for ending, full in _ENDINGS:
        if word.endswith(ending):
            word = word.removesuffix(ending) + full
    yield from word.split()


def _number(digits: str) -> Iterator[str]:
    if len(digits) >= _SPELLED or (digits.startswith("0") and len(digits) > 1):
        yield from (_ONES[int(digit)] for digit in digits)
        return
    value = int(digits)
    for unit, name in ((1000, "thousand"), (100, "hundred")):
        if value >= unit:
            yield from (*_number(str(value // unit)), name)
            value %= unit
            if not value:
                return
    if value >= len(_ONES):
        yield _TENS[value // 10]
        value %= 10
        if not value:
            return
    yield _ONES[value]


def _distance(wanted: Sequence[str], got: Sequence[str]) -> int:
    """Levenshtein's, over words or letters."""
    row = list(range(len(got) + 1))
    for index, want in enumerate(wanted, 1):
        above, row = row, [index]
        for column, word in enumerate(got, 1):
            change = above[column - 1] + (want != word)
            row.append(min(change, above[column] + 1, row[-1] + 1))
    return row[-1]
