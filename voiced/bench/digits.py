"""The digits of a text, whether it has words or numerals: "ten thirty" and 10:30 are both 1030.

So two texts that say the same numbers have the same digits, and a dose that lost its zero has not.
English; it does not know who wrote the text.
"""

import re
from collections.abc import Iterator

_ONES = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
    "nineteen",
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fifth": 5, "ninth": 9, "twelfth": 12}
_VALUES = {
    **{word: number for number, word in enumerate(_ONES)},
    **{word: 10 * number for number, word in enumerate(_TENS, 2)},
    **_ORDINALS,
}
_SCALES = {"hundred": 100, "thousand": 1000}


def digits(text: str) -> list[str]:
    """Every digit of a text in order, however it was written: "ten thirty" and 10:30 are 1030."""
    found: list[str] = []
    total = last = 0
    for word in [*_tokens(text), ""]:
        value = _value(word)
        if word in _SCALES and not total and found and found[-1].isdecimal():
            found += str(_SCALES[word])[1:]  # 14 hundred
        elif word in _SCALES and total:
            total, last = _scaled(total, _SCALES[word]), _SCALES[word]
        elif value is not None and total and _joins(last, value):
            total, last = total + value, value
        else:
            found += str(total) if total else ""
            total, last = value or 0, value or 0
            found += "0" if value == 0 else word if word.isdecimal() else ""
            total = 0 if word.isdecimal() else total
    return found


def _tokens(text: str) -> Iterator[str]:
    text = re.sub(r"(?<=\d),(?=\d{3})", "", text.casefold())
    yield from (word for word in re.findall(r"\d+|[a-z]+", text) if word != "and")


def _value(word: str) -> int | None:
    """A cardinal's or an ordinal's: "eighth" loses a letter, "twentieth" changes one."""
    stem = word.removesuffix("th")
    for form in (word, stem, stem + "t", stem.removesuffix("ie") + "y"):
        if form in _VALUES:
            return _VALUES[form]
    return None


def _joins(last: int, value: int) -> bool:
    """Whether two words are one number: "twenty five" is, "ten thirty" is two."""
    return value > 0 and (
        (last in _SCALES.values() and value < last)
        or (last >= 20 and value < 10 and last % 10 == 0)
    )


def _scaled(total: int, scale: int) -> int:
    """One thousand two, hundred: only what is below the scale is multiplied."""
    below = total % (scale * 10) if total >= scale * 10 else total
    return total - below + below * scale
