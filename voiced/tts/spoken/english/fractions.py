"""Fractions: "1/2 tablet" is one half tablet, "1½" one and a half, "7/10" of pain seven out of ten.

A bare "1/2" may be a date or a score and is left alone. It does not know dates.
"""

import re

from voiced.tts.spoken.english.numbers import cardinal, number, ordinal

_MEASURES = (
    "tablets? tabs? pills? capsules? caps? cups? teaspoons? tsp tablespoons? tbsp doses? hours? hr"
    " miles? inch(?:es)? bottles? patch(?:es)? strength liters? gallons? pints? ounces? oz lbs?"
    " units? days? mL ml mg g kg normal full vials? ampoules? amps? packets? sachets? slices?"
    " servings? portions? glass(?:es)? of NS"
).split()
_MIXED = re.compile(r"(?<![\w.,/-])(\d{1,3})(?:[ ]|[ ]?-[ ]?)(\d)[/\u2044]([2-9]|1[06])(?![\d/.])")
_SURE = re.compile(r"(?<![\d.,/-])(\d)\u2044(\d{1,2})")
_PART = re.compile(
    r"(?<![\w.,/-])(\d)/([2-9]|1[06])(?![\d/.])(?=[ -]?(?:" + "|".join(_MEASURES) + r")\b)"
)
_GIVEN = re.compile(r"(\b(?:[Tt]ake|[Gg]ive|[Uu]se|[Cc]ut|[Ss]plit)[ ])(1)/([2-4])(?![\d/.]\d?)")
_SCORE = re.compile(r"((?:pain|score|scale|scored|rated)\b[^.\d]{0,24})(\d{1,2})/(10)(?![\d/])")
_EVEN = re.compile(r"(?<![\w.,/-])(50|20)/\1(?![\d/.]\d?)")

_MIX = re.compile(r"(?<![\w.,/-])(\d\d)/(\d\d)(?= (?:insulin|mix)\b)")

_NAMES = {2: "half", 4: "quarter"}


def read(text: str) -> str:
    """Every fraction of the text that can only be one, in words."""
    text = _MIXED.sub(_mixed, text)
    for pattern in (_SURE, _PART):
        text = pattern.sub(_parted, text)
    text = _GIVEN.sub(lambda m: m.group(1) + fraction(int(m.group(2)), int(m.group(3))), text)
    text = _MIX.sub(lambda m: f"{number(m.group(1))} {number(m.group(2))}", text)
    text = _EVEN.sub(lambda m: f"{number(m.group(1))} {number(m.group(1))}", text)
    return _SCORE.sub(
        lambda m: f"{m.group(1)}{number(m.group(2))} out of {number(m.group(3))}", text
    )


def fraction(over: int, under: int) -> str:
    """1/2 -> "one half", 3/4 -> "three quarters"."""
    part = _NAMES.get(under) or ordinal(under)
    many = "halves" if under == 2 else f"{part}s"
    return f"{cardinal(over)} {part if over == 1 else many}"


def _mixed(match: re.Match[str]) -> str:
    whole, over, under = (int(group) for group in match.groups())
    if not 0 < over < under:
        return match.group()
    said = fraction(over, under)
    for part in _NAMES.values():
        said = said.replace(f"one {part}", f"a {part}")
    return f"{cardinal(whole)} and {said}"


def _parted(match: re.Match[str]) -> str:
    over, under = int(match.group(1)), int(match.group(2))
    return fraction(over, under) if 0 < over < under else match.group()
