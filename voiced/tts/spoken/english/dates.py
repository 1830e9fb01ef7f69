"""Calendar dates. Only a date that can be read one way, or whose place is known, is read as one.

    2026-03-12   March twelfth, twenty twenty-six
    12/03/2026   US: December third, ...   GB: twelfth of March, ...   else: twelve, zero three, ...
    12/03        without a place: twelve, zero three

It does not know today's date.
"""

import re
from collections.abc import Callable

from voiced.tts.spoken.english.numbers import cardinal, digits, number, ordinal, year

_NAMES = (
    "January February March April May June July August September October November December".split()
)
_SHORT = {name[:3]: name for name in _NAMES} | {"Sept": "September"}
_MONTH = r"(?:" + "|".join([*_NAMES, *(f"{short}\\b\\.?" for short in (*_SHORT, "Sept"))]) + r")"
_YEAR = r"(?:1[89]\d\d|20\d\d)"
_DAY = r"(?:3[01]|[12]\d|0?[1-9])"
_TH = r"(?:st|nd|rd|th)?"

_ISO = re.compile(rf"(?<![\w/.-])({_YEAR})-(\d\d)-(\d\d)(?![\w/]|-\d)")
_FULL = re.compile(r"(?<![\w/.-])(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d\d)(?![\w/]|[.-]\d)")
_PAIR = re.compile(r"(?<![\w/.,-])(\d{1,2})/(\d{1,2})(?![\w/]|[.,-]\d|[ ]?%)")
_MONTH_DAY = re.compile(
    rf"\b({_MONTH})[ ]({_DAY}){_TH}(?:[ ]?-[ ]?({_DAY}){_TH})?(?![\w:/%]|[.,]\d)"
    rf"(?:,?[ ]({_YEAR})\b)?(?![ ]?(?:mg|mcg|mL|ml|g|kg|%|[ap]\.?m\b|tablets?\b|pills?\b))"
)
_DAY_MONTH = re.compile(
    rf"(?<![\w.,/:-])({_DAY}){_TH}[ ](?:of[ ])?({_MONTH})(?![a-z])(?:,?[ ]({_YEAR})\b)?"
)
_MONTH_YEAR = re.compile(rf"\b({_MONTH}),?[ ]({_YEAR})\b")
_LONE_YEAR = re.compile(
    r"(\b(?:[Ii]n|[Ss]ince|[Yy]ear|[Uu]ntil|[Bb]orn|[Ss](?:pring|ummer)|[Ff]all|[Aa]utumn|[Ww]inter)"
    r"(?:[ ]of)?[ ])"
    rf"({_YEAR})(?=[.,;:?!)\"']+(?:\s|$)|$|[ ](?:and|or|but|for|with|at|when|after|because)\b)"
)
_YEARS = re.compile(
    rf"(?<![\w.,/-])({_YEAR})-({_YEAR})(?![\w/-]|[ ]?(?:mg|mcg|mL|ml|kcal|units?)\b)"
)
_SCHOOL_YEAR = re.compile(r"(?<![\w.,/-])(20\d\d)-(\d\d)(?![\w/-]|[.,]\d)")
_DECADE = re.compile(r"(?<!\w)(1[89]|20)(\d)0'?s\b")
_AGES = re.compile(r"(\b(?:early|mid|late|your|his|her|their|my|the|in)[ -])'?([2-9])0s\b")

_DAY_FIRST = frozenset("GB IE AU NZ IN ZA HK SG MT KE NG".split())
_MONTH_FIRST = frozenset({"US"})


def read(text: str, region: str | None) -> str:
    """Dates in words; `region` ("US", "GB") decides which part of 12/03 is the month."""
    text = _ISO.sub(lambda m: _iso(m, region), text)
    text = _FULL.sub(lambda m: _full(m, region), text)
    text = _MONTH_DAY.sub(_month_day, text)
    text = _DAY_MONTH.sub(_day_month, text)
    text = _MONTH_YEAR.sub(lambda m: f"{_named(m.group(1))} {year(int(m.group(2)))}", text)
    text = _YEARS.sub(lambda m: f"{year(int(m.group(1)))} to {year(int(m.group(2)))}", text)
    text = _SCHOOL_YEAR.sub(_school_year, text)
    text = _LONE_YEAR.sub(lambda m: m.group(1) + year(int(m.group(2))), text)
    text = _DECADE.sub(_decade, text)
    text = _AGES.sub(lambda m: m.group(1) + _tens(m.group(2)), text)
    return _PAIR.sub(lambda m: _pair(m, region), text)


def _iso(match: re.Match[str], region: str | None) -> str:
    months, days = int(match.group(2)), int(match.group(3))
    if not _valid(months, days):
        return match.group()
    return f"{_date(months, days, region)}, {year(int(match.group(1)))}"


def _full(match: re.Match[str], region: str | None) -> str:
    first, sign, second, last = match.group(1, 2, 3, 4)
    if sign == "." and len(last) == 2:
        return match.group()
    order = _order(int(first), int(second), region)
    said = year(int(last)) if len(last) == 4 else None
    if order is None:
        if not (_valid(int(first), int(second)) or _valid(int(second), int(first))):
            return match.group()
        return f"{_part(first)}, {_part(second)}, {said or _part(last)}"
    return f"{order(int(first), int(second))}, {said or year(2000 + int(last))}"


def _pair(match: re.Match[str], region: str | None) -> str:
    """A pair with a leading zero is a date; any other may be a fraction or a score."""
    first, second = match.group(1), match.group(2)
    if not (first.startswith("0") or second.startswith("0")):
        return match.group()
    if not (_valid(int(first), int(second)) or _valid(int(second), int(first))):
        return match.group()
    order = _order(int(first), int(second), region)
    return order(int(first), int(second)) if order else f"{_part(first)}, {_part(second)}"


def _order(first: int, second: int, region: str | None) -> Callable[[int, int], str] | None:
    """How to read the two: month first, day first, or not known."""
    month_first, day_first = _valid(first, second), _valid(second, first)
    if month_first and (region in _MONTH_FIRST or not day_first):
        return _month_first
    if day_first and (region in _DAY_FIRST or not month_first):
        return _day_first
    return None


def _month_first(months: int, days: int) -> str:
    return f"{_NAMES[months - 1]} {ordinal(days)}"


def _day_first(days: int, months: int) -> str:
    return f"{ordinal(days)} of {_NAMES[months - 1]}"


def _date(months: int, days: int, region: str | None) -> str:
    return _day_first(days, months) if region in _DAY_FIRST else _month_first(months, days)


def _valid(months: int, days: int) -> bool:
    return 1 <= months <= 12 and 1 <= days <= 31


def _part(text: str) -> str:
    return digits(text) if text.startswith("0") else number(text)


def _month_day(match: re.Match[str]) -> str:
    name, first, last, years = match.groups()
    said = f"{_named(name)} {ordinal(int(first))}"
    if last:
        said += f" to {ordinal(int(last))}"
    return said + (f", {year(int(years))}" if years else "")


def _day_month(match: re.Match[str]) -> str:
    days, name, years = match.groups()
    said = f"{ordinal(int(days))} of {_named(name)}"
    return said + (f", {year(int(years))}" if years else "")


def _named(name: str) -> str:
    name = name.rstrip(".")
    return _SHORT.get(name, name)


def _school_year(match: re.Match[str]) -> str:
    """ "2026-27"; "2026-12" may be a month and stays."""
    first, second = int(match.group(1)), int(match.group(2))
    if second != (first + 1) % 100:
        return match.group()
    return f"{year(first)} to {cardinal(second)}"


def _decade(match: re.Match[str]) -> str:
    head, tens = match.group(1), match.group(2)
    if tens == "0":
        return f"{cardinal(int(head))} hundreds" if head != "20" else "two thousands"
    return f"{cardinal(int(head))} {_tens(tens)}"


def _tens(digit: str) -> str:
    said = cardinal(int(digit) * 10)
    return "tens" if digit == "1" else said[:-1] + "ies"
