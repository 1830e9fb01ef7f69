"""Quantities: a number or a range with its unit, blood pressure, "2 x 500 mg", sizes.

    0.5 mg      zero point five milligrams       5-mg tablet   five milligram tablet
    1-2 tablets one to two tablets               120/80        one hundred twenty over eighty

It does not know signs before a number nor shorthand behind it.
"""

import re

from voiced.tts.spoken.english.numbers import cardinal, number, plural
from voiced.tts.spoken.english.units import UNIT, unit_name

N = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|(?<!\d)\.\d+)"
"""A written number, without groups."""
BEFORE = r"(?<![\w.,/:^-])(?<!\w\+)"
"""What stands before a number that stands by itself."""

_THING = (
    r"(?=[ ](?:tablet|tab|capsule|pill|patch|vial|syringe|pen|injection|bottle|bag|strip|lozenge"
    r"|suppositor|inhaler|ampoule|dose\b|film))"
)
_RATIO = re.compile(rf"{BEFORE}({N})[ ]?({UNIT})/({N})[ ]?({UNIT})")
_RANGE_UNIT = re.compile(
    rf"{BEFORE}({N})[ ]?(?:({UNIT})[ ]?)?-[ ]?({N})[ ]?-?({UNIT})\.?(?=(?P<noun>[ ][a-z])?)"
)
_TIMES_UNIT = re.compile(rf"{BEFORE}({N})[ ]?[x×][ ]?(?={N}[ ]?-?{UNIT})")
_AREA = re.compile(rf"{BEFORE}(?:{N}[ ]?[x×][ ]?){{1,2}}(?={N}[ ]?(?:mm|cm|m|in|ft|inches)\b)")
_UNIT = re.compile(rf"(?<![\w.,])({N})([ ]?|-)({UNIT})(?P<thing>{_THING})?")
_BARE_UNIT = re.compile(rf"(?<![\w/^°])(?=mg|mcg|µg|mL|kg|mmHg|mmol|mEq|bpm)({UNIT})")
_PART_OF = re.compile(rf"\b(half|halves|quarters?|thirds?|eighths?)[ ]{{1,2}}({UNIT})")
_AND_A = re.compile(rf"\b(and a (?:half|quarter))[ ]{{1,2}}({UNIT})")
_PER = re.compile(rf"(?:(?<=[a-z]{{3}})|(?<=\d))/({UNIT})")
_ABBREVIATED = re.compile(rf"((?<![\w.,]){N}[ ]?{UNIT})\.(?=[ ][a-z=])")
_FEET = re.compile(
    r"(?<![\w.,])(\d)(?:'[ ]?(\d{1,2})(?:\"|''|[ ]?in\b\.?)?|[ ]?ft[ ](\d{1,2})[ ]?in\b\.?)(?!\w)"
)
_TEMPERATURE = re.compile(r"(?<![\w.,])(\d{2,3}\.\d)[ ]?([CF])\b")
_PRESSURE = re.compile(
    r"(?<![\w.,/-])"
    r"(?P<told>(?:BP|[Bb]lood pressure|[Pp]ressure)(?:[ ](?:is|was|of|at|reading)){0,3}:?[ ])?"
    rf"(\d{{2,3}})[ ]?/[ ]?(\d{{2,3}})(?![\d/-]|\.\d)(?P<unit>[ ]?mm[ ]?Hg)?(?![ ]?-?{UNIT})"
)
_WHOLE = r"(?:\d{1,3}(?:,\d{3})+|\d{1,4})(?:\.\d{1,3})?"
_RANGE = re.compile(rf"(?<![\w.,/:^-])({_WHOLE})[ ]?-[ ]?({_WHOLE})(?![\w/:-]|[.,]\d)")
_RANGE_TIMES = re.compile(r"(?<![\w.,/:^-])(\d{1,2})-(\d{1,2})(?=[ ]?x\b)")


def read(text: str) -> str:
    """Every quantity of the text in words."""
    for pattern, reading in _RULES:
        text = pattern.sub(reading, text)
    return text


def quantity(value: str, sign: str, *, joined: bool = False) -> str:
    """ "0.5", "mg" -> "zero point five milligrams"; joined as in "5-mg tablet": one name."""
    return f"{number(value)} {unit_name(sign, many=plural(value) and not joined)}"


def _unit(match: re.Match[str]) -> str:
    value, between, sign = match.group(1, 2, 3)
    if sign == "s" and not between and float(value.replace(",", "")) >= 100:
        return f"{number(value)} s"  # "the 500s": no seconds
    return quantity(value, sign, joined=between == "-" or match.group("thing") is not None)


def _range_unit(match: re.Match[str]) -> str:
    low, first, high, sign = match.group(1, 2, 3, 4)
    stop = "" if match.group("noun") or not match.group().endswith(".") else "."
    to = "to" if _rises(low, high) or (first and first != sign) else "dash"
    if first and first != sign:
        return f"{quantity(low, first)} {to} {quantity(high, sign)}{stop}"
    return f"{number(low)} {to} {quantity(high, sign)}{stop}"


def _rises(low: str, high: str) -> bool:
    return float(low.replace(",", "")) < float(high.replace(",", ""))


def _pressure(match: re.Match[str]) -> str:
    high, low = int(match.group(2)), int(match.group(3))
    told = match.group("told") or ""
    unit = match.group("unit")
    if not (told or unit) and not _likely(high, low):
        return match.group()
    said = f"{cardinal(high)} over {cardinal(low)}"
    return told + said + (" millimeters of mercury" if unit else "")


def _likely(high: int, low: int) -> bool:
    """Of somebody alive; a strength such as 250/50 or 70/30 is none."""
    return 80 <= high <= 260 and 30 <= low <= 160 and 10 <= high - low <= 130


def _range(match: re.Match[str]) -> str:
    """A rising pair is a range; anything else is read as it stands."""
    low, high = match.group(1), match.group(2)
    if any(len(part) > 1 and part[0] == "0" and part[1] != "." for part in (low, high)):
        return match.group()
    return f"{number(low)} to {number(high)}" if _rises(low, high) else match.group()


def _ratio(match: re.Match[str]) -> str:
    """ "5 mg/5 mL" is a strength; "500 mg/125 mg" are the two parts of one tablet."""
    one, other = match.group(1, 2), match.group(3, 4)
    return f"{quantity(*one)} {'slash' if one[1] == other[1] else 'per'} {quantity(*other)}"


def _feet(match: re.Match[str]) -> str:
    inches = int(match.group(2) or match.group(3))
    return f"{cardinal(int(match.group(1)))} feet {cardinal(inches)} inches"


_RULES = (
    (_FEET, _feet),
    (_PRESSURE, _pressure),
    (_AREA, lambda m: re.sub(r"[ ]?[x×][ ]?", " by ", m.group())),
    (_TIMES_UNIT, lambda m: f"{number(m.group(1))} times "),
    (_RATIO, _ratio),
    (_RANGE_UNIT, _range_unit),
    (_ABBREVIATED, lambda m: m.group(1)),
    (_UNIT, _unit),
    (_TEMPERATURE, lambda m: quantity(m.group(1), f"°{m.group(2)}")),
    (_AND_A, lambda m: f"{m.group(1)} {unit_name(m.group(2), many=True)}"),
    (_PART_OF, lambda m: f"{m.group(1)} {unit_name(m.group(2), many=False)}"),
    (_PER, lambda m: f" per {unit_name(m.group(1), many=False)}"),
    (_RANGE, _range),
    (_RANGE_TIMES, lambda m: f"{number(m.group(1))} to {m.group(2)}"),
    (_BARE_UNIT, lambda m: unit_name(m.group(1), many=True)),
)
