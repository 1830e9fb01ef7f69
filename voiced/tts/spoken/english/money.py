"""Sums of money: "$49.95" is forty-nine dollars and ninety-five cents.

It does not know rates or places; a currency is what its sign says.
"""

import re
from typing import NamedTuple

from voiced.tts.spoken.english.numbers import cardinal, number


class Currency(NamedTuple):
    """Its names for one and for many, and those of its hundredth."""

    one: str
    many: str
    cent: str = ""
    cents: str = ""


_SIGNS = {
    "$": Currency("dollar", "dollars", "cent", "cents"),
    "US$": Currency("U S dollar", "U S dollars", "cent", "cents"),
    "CA$": Currency("Canadian dollar", "Canadian dollars", "cent", "cents"),
    "A$": Currency("Australian dollar", "Australian dollars", "cent", "cents"),
    "€": Currency("euro", "euros", "cent", "cents"),
    "£": Currency("pound", "pounds", "penny", "pence"),
    "¥": Currency("yen", "yen"),
    "₩": Currency("won", "won"),
    "₹": Currency("rupee", "rupees", "paisa", "paise"),
    "USD": Currency("U S dollar", "U S dollars", "cent", "cents"),
    "EUR": Currency("euro", "euros", "cent", "cents"),
    "GBP": Currency("British pound", "British pounds", "penny", "pence"),
    "KRW": Currency("won", "won"),
    "JPY": Currency("yen", "yen"),
}
_SIGN = "|".join(re.escape(sign) for sign in sorted(_SIGNS, key=len, reverse=True))
_SUM = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
_SCALE = r"(?:[ ]?(?:thousand|million|billion|trillion|[KkMB])\b)"
_RANGE = re.compile(
    rf"({_SIGN})[ ]?({_SUM})[ ]?-[ ]?(?:{_SIGN})?[ ]?({_SUM})({_SCALE})?(?![\w]|\.\d)"
)
_BEFORE = re.compile(rf"(?<![A-Za-z])({_SIGN})[ ]?({_SUM})({_SCALE})?(?:/([a-z]+))?(?![\d])")
_AFTER = re.compile(rf"(?<![\w.,])({_SUM})[ ]?(USD|EUR|GBP|KRW|JPY|€|£)(?!\w)")
_CENTS = re.compile(r"(?<![\w.,])(\d+)[ ]?¢")


def read(text: str) -> str:
    """Every sum of the text in words."""
    text = _RANGE.sub(_range, text)
    text = _BEFORE.sub(_before, text)
    text = _AFTER.sub(lambda m: amount(m.group(1), _SIGNS[m.group(2)]), text)
    return _CENTS.sub(
        lambda m: f"{number(m.group(1))} {'cent' if m.group(1) == '1' else 'cents'}", text
    )


def amount(value: str, currency: Currency) -> str:
    """ "49.95" -> "forty-nine dollars and ninety-five cents"; odd fractions as decimals."""
    whole, point, part = value.replace(",", "").partition(".")
    if point and (len(part) != 2 or not currency.cents):
        return f"{number(value)} {currency.many}"
    cents = int(part or "0")
    small = f"{cardinal(cents)} {currency.cent if cents == 1 else currency.cents}"
    if cents and not int(whole):
        return small
    said = f"{number(whole)} {currency.one if int(whole) == 1 else currency.many}"
    return f"{said} and {small}" if cents else said


def _before(match: re.Match[str]) -> str:
    sign, value, scale, per = match.groups()
    currency = _SIGNS[sign]
    said = f"{number(value)} {_scale(scale)} {currency.many}" if scale else amount(value, currency)
    return f"{said} per {per}" if per else said


def _range(match: re.Match[str]) -> str:
    sign, low, high, scale = match.groups()
    currency = _SIGNS[sign]
    if scale:
        return f"{number(low)} to {number(high)} {_scale(scale)} {currency.many}"
    if "." in low + high:
        return f"{amount(low, currency)} to {amount(high, currency)}"
    return f"{number(low)} to {amount(high, currency)}"


def _scale(written: str) -> str:
    word = written.strip()
    return {"K": "thousand", "k": "thousand", "M": "million", "B": "billion"}.get(word, word)
