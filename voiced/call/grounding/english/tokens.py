"""An English text as words, marks and numbers: the way back of `voiced.tts.spoken.english.numbers`.

    "two five hundred milligram tablets"  2, 500, "milligram", "tablets"
    "ten oh five"                         10, 0, 5          "the twenty-first"  "the", 21st

It does not know what a number counts.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from voiced.tts.spoken.english.numbers import cardinal, ordinal

_PIECE = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?|\d+(?:\.\d+)?|[^\w\s-]")
_SMALL = {cardinal(value): value for value in range(20)}
_TENS = {cardinal(value): value for value in range(20, 100, 10)}
_NUMERALS = {**_SMALL, **_TENS}
_ORDINALS = {ordinal(value): value for value in [*range(1, 20), *range(20, 100, 10)]}
_SCALES = {"thousand": 1_000, "million": 1_000_000}
_FOURTEEN_HUNDRED = 13
"""From here on hundreds are counted only in years and in times of day."""
_PARTS = {"half": Fraction(1, 2), "quarter": Fraction(1, 4)}


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a mark, or a number with all its words."""

    text: str
    """As it stands."""
    number: Fraction | None = None
    nth: int | None = None
    """Of an ordinal."""
    hundreds: bool = False
    """ "fourteen hundred"."""

    @property
    def word(self) -> str:
        return self.text.casefold()

    @property
    def mark(self) -> bool:
        return not self.text[:1].isalnum()

    @property
    def capital(self) -> bool:
        return self.number is None and self.text[:1].isupper() and len(self.text) > 1


LINKS = frozenset("to until till and through dash or".split())
"""Between two numbers of one kind."""

END = Token(".")
"""What stands before and behind a text."""


def tokens(text: str) -> list[Token]:
    """Pure; linear."""
    pieces = [piece.replace("\u2019", "'") for piece in _PIECE.findall(text)]
    found: list[Token] = []
    at = 0
    while at < len(pieces):
        token, at = _token(pieces, at)
        found.append(token)
    return found


def _token(pieces: Sequence[str], at: int) -> tuple[Token, int]:
    word = pieces[at].casefold()
    if word[0].isdigit():
        return Token(word, Fraction(word)), at + 1
    if word in _TENS and _at(pieces, at + 1) in _ORDINALS:
        number = _TENS[word] + _ORDINALS[_at(pieces, at + 1)]
        return Token(pieces[at], nth=number), at + 2
    if word in _ORDINALS:
        return Token(pieces[at], nth=_ORDINALS[word]), at + 1
    if pieces[at] == "oh" and _at(pieces, at + 1) in _SMALL:
        return Token(word, Fraction(0)), at + 1
    if word in _NUMERALS or (word in ("a", "an") and _at(pieces, at + 1) in ("hundred", *_SCALES)):
        return _number(pieces, at)
    return Token(pieces[at]), at + 1


def _number(pieces: Sequence[str], begin: int) -> tuple[Token, int]:
    value, hundreds, at = _group(pieces, begin)
    total = 0
    while scale := _SCALES.get(_at(pieces, at)):
        total += value * scale
        value, at = 0, at + 1
        if _at(pieces, at) in _NUMERALS:
            value, _, at = _group(pieces, at)
    number = Fraction(total + value)
    if _at(pieces, at) == "point" and _SMALL.get(_at(pieces, at + 1), 10) < 10:
        at, digits = at + 1, ""
        while (digit := _SMALL.get(_at(pieces, at), 10)) < 10:
            at, digits = at + 1, digits + str(digit)
        number += Fraction(f"0.{digits}")
    if [_at(pieces, at), _at(pieces, at + 1)] == ["and", "a"] and _at(pieces, at + 2) in _PARTS:
        number, at = number + _PARTS[_at(pieces, at + 2)], at + 3
    return Token(" ".join(pieces[begin:at]), number, hundreds=hundreds), at


def _group(pieces: Sequence[str], at: int) -> tuple[int, bool, int]:
    """Below a thousand, or so many hundreds."""
    value, at = _pair(pieces, at)
    if _at(pieces, at) != "hundred":
        return value, False, at
    hundreds = value >= _FOURTEEN_HUNDRED
    value, at = value * 100, at + 1
    more = at + 1 if _at(pieces, at) == "and" else at
    if _at(pieces, more) in _NUMERALS and not hundreds:
        rest, at = _pair(pieces, more)
        value += rest
    return value, hundreds, at


def _pair(pieces: Sequence[str], at: int) -> tuple[int, int]:
    """Below a hundred; "a" is one."""
    word = pieces[at].casefold()
    value = _NUMERALS.get(word, 1)
    ones = _SMALL.get(_at(pieces, at + 1), 0)
    if word in _TENS and 0 < ones < 10:
        return value + ones, at + 2
    return value, at + 1


def _at(pieces: Sequence[str], at: int) -> str:
    return pieces[at].casefold() if at < len(pieces) else ""


class Text:
    """The tokens of one text, seen from any of them."""

    def __init__(self, text: str) -> None:
        self.tokens = tokens(text)
        self.words = frozenset(token.word for token in self.tokens)

    def __getitem__(self, at: int) -> Token:
        return self.tokens[at] if 0 <= at < len(self.tokens) else END

    def words_at(self, at: int, count: int) -> tuple[str, ...]:
        return tuple(self[at + offset].word for offset in range(count))
