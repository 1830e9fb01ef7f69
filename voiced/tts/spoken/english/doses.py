"""Quantities: a number or a range with its unit, blood pressure, fractions, "2 x 500 mg".

    0.5 mg      zero point five milligrams       5-mg tablet   five milligram tablet
    1-2 tablets one to two tablets               120/80        one hundred twenty over eighty

It does not know signs before a number nor shorthand behind it.
"""

import re

from voiced.tts.spoken.english.numbers import cardinal, number, ordinal, plural
from voiced.tts.spoken.english.units import UNIT, unit_name

N = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|(?<!\d)\.\d+)"
"""A written number, without groups."""
BEFORE = r"(?<![\w.,/:^-])(?<!\w\+)"
"""What stands before a number that stands by itself."""

_SPAN = r"[ ]?(?:-|~|to)[ ]?"
_RATIO = re.compile(rf"{BEFORE}({N})[ ]?({UNIT})/({N})[ ]?({UNIT})")
_RANGE_UNIT = re.compile(
    rf"{BEFORE}({N})[ ]?(?:({UNIT})[ ]?)?-[ ]?({N})[ ]?-?({UNIT})\.?(?=(?P<noun>[ ][a-z])?)"
)
_TIMES_UNIT = re.compile(rf"{BEFORE}({N})[ ]?[x×][ ]?(?={N}[ ]?-?{UNIT})")
_AREA = re.compile(rf"{BEFORE}(?:{N}[ ]?[x×][ ]?){{1,2}}(?={N}[ ]?(?:mm|cm|m|in|ft|inches)\b)")
_UNIT = re.compile(rf"(?<![\w.,])({N})([ ]?|-)({UNIT})")
_BARE_UNIT = re.compile(rf"(?<![\w/^°])(?=mg|mcg|µg|mL|kg|mmHg|mmol|mEq|bpm)({UNIT})")
_ABBREVIATED = re.compile(rf"((?<![\w.,]){N}[ ]?{UNIT})\.(?=[ ][a-z])")
_FEET = re.compile(r"(?<![\w.,])(\d)[ ]?(?:'|ft)[ ]?(\d{1,2})[ ]?(?:\"|in\b\.?)")
_PRESSURE = re.compile(
    r"(?<![\w.,/-])"
    r"(?P<told>(?:BP|[Bb]lood pressure|[Pp]ressure)(?:[ ](?:is|was|of|at|reading)){0,3}:?[ ])?"
    rf"(\d{{2,3}})[ ]?/[ ]?(\d{{2,3}})(?![\d/-]|\.\d)(?P<unit>[ ]?mm[ ]?Hg)?(?![ ]?-?{UNIT})"
)
_WHOLE = r"(?:\d{1,3}(?:,\d{3})+|\d{1,4})"
_RANGE = re.compile(rf"(?<![\w.,/:^-])({_WHOLE})[ ]?-[ ]?({_WHOLE})(?![\w/:-]|[.,]\d)")
_SCORE = re.compile(r"((?:pain|score|scale|scored|rated)\b[^.\d]{0,24})(\d{1,2})/(10)(?![\d/])")

_MEASURES = (
    "tablets? tabs? pills? capsules? caps? cups? teaspoons? tsp tablespoons? tbsp doses? hours? hr"
    " miles? inch(?:es)? bottles? patch(?:es)? strength liters? gallons? pints? ounces? oz lbs?"
    " units? days? mL ml mg g kg normal full vials? ampoules? amps? packets? sachets? slices?"
    " servings? portions? glass(?:es)? of"
).split()
_MIXED = re.compile(r"(?<![\w.,/-])(\d{1,3})(?:[ ]|[ ]?-[ ]?)(\d)[/\u2044]([2-9]|1[06])(?![\d/.])")
_SURE = re.compile(r"(?<![\d.,/-])(\d)\u2044(\d{1,2})")
_FRACTION = re.compile(
    r"(?<![\w.,/-])(\d)/([2-9]|1[06])(?![\d/.])(?=[ -]?(?:" + "|".join(_MEASURES) + r")\b)"
)
_GIVEN = re.compile(r"(\b(?:[Tt]ake|[Gg]ive|[Uu]se|[Cc]ut|[Ss]plit)[ ])(1)/([2-4])(?![\d/.]\d?)")

_PARTS = {2: "half", 4: "quarter"}


def read(text: str) -> str:
    """Every quantity of the text in words."""
    for pattern, reading in _RULES:
        text = pattern.sub(reading, text)
    return text


def quantity(value: str, sign: str, *, joined: bool = False) -> str:
    """ "0.5", "mg" -> "zero point five milligrams"; joined as in "5-mg tablet": one name."""
    return f"{number(value)} {unit_name(sign, many=plural(value) and not joined)}"


def fraction(over: int, under: int) -> str:
    """1/2 -> "one half", 3/4 -> "three quarters"."""
    part = _PARTS.get(under) or ordinal(under)
    many = "halves" if under == 2 else f"{part}s"
    return f"{cardinal(over)} {part if over == 1 else many}"


def _range_unit(match: re.Match[str]) -> str:
    low, first, high, sign = match.group(1, 2, 3, 4)
    stop = "" if match.group("noun") or not match.group().endswith(".") else "."
    if first and first != sign:
        return f"{quantity(low, first)} to {quantity(high, sign)}{stop}"
    return f"{number(low)} to {quantity(high, sign)}{stop}"


def _pressure(match: re.Match[str]) -> str:
    high, low = int(match.group(2)), int(match.group(3))
    told = match.group("told") or ""
    unit = match.group("unit")
    if not (told or unit) and not (60 <= high <= 260 and 30 <= low <= 160 and high > low + 9):
        return match.group()
    said = f"{cardinal(high)} over {cardinal(low)}"
    return told + said + (" millimeters of mercury" if unit else "")


def _range(match: re.Match[str]) -> str:
    """A rising pair is a range; anything else is read as it stands."""
    low, high = match.group(1), match.group(2)
    if (low.startswith("0") and low != "0") or high.startswith("0"):
        return match.group()
    if int(low.replace(",", "")) >= int(high.replace(",", "")):
        return match.group()
    return f"{number(low)} to {number(high)}"


def _mixed(match: re.Match[str]) -> str:
    whole, over, under = (int(group) for group in match.groups())
    if over >= under:
        return match.group()
    said = fraction(over, under)
    for whole_part in ("half", "quarter"):
        said = said.replace(f"one {whole_part}", f"a {whole_part}")
    return f"{cardinal(whole)} and {said}"


def _parted(match: re.Match[str]) -> str:
    over, under = int(match.group(1)), int(match.group(2))
    return fraction(over, under) if 0 < over < under else match.group()


_RULES = (
    (_MIXED, _mixed),
    (_SURE, _parted),
    (_FRACTION, _parted),
    (_GIVEN, lambda m: m.group(1) + fraction(int(m.group(2)), int(m.group(3)))),
    (_FEET, lambda m: f"{cardinal(int(m.group(1)))} feet {cardinal(int(m.group(2)))} inches"),
    (_SCORE, lambda m: f"{m.group(1)}{number(m.group(2))} out of {number(m.group(3))}"),
    (_PRESSURE, _pressure),
    (_AREA, lambda m: re.sub(r"[ ]?[x×][ ]?", " by ", m.group())),
    (_TIMES_UNIT, lambda m: f"{number(m.group(1))} times "),
    (_RATIO, lambda m: f"{quantity(*m.group(1, 2))} per {quantity(*m.group(3, 4))}"),
    (_RANGE_UNIT, _range_unit),
    (_ABBREVIATED, lambda m: m.group(1)),
    (_UNIT, lambda m: quantity(m.group(1), m.group(3), joined=m.group(2) == "-")),
    (_RANGE, _range),
    (_BARE_UNIT, lambda m: unit_name(m.group(1), many=True)),
)
