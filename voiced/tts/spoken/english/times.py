"""Times of day: "8:00" is eight o'clock, "8:30 a.m." is eight thirty a m, "14:05" fourteen oh five.

It does not know dates, nor how long anything takes.
"""

import re

from voiced.tts.spoken.english.numbers import cardinal, number

_HALF = r"(?:[AaPp]\.[Mm]\b\.?|[AaPp][Mm]\b)"
_CLOCK = r"(?:[01]?\d|2[0-4])"
_TIME = rf"{_CLOCK}:[0-5]\d(?::[0-5]\d)?(?:[ ]?{_HALF})?"

_SPAN = re.compile(
    rf"(?<![\w:.,/-])({_CLOCK}(?::[0-5]\d)?)[ ]?({_HALF})?[ ]?(?:-|to|and|until)[ ]?"
    rf"({_CLOCK}(?::[0-5]\d)?[ ]?{_HALF})(?!\w)"
)
_SPAN_CLOCK = re.compile(
    rf"(?<![\w:.,/-])({_TIME})[ ]?-[ ]?({_TIME}|{_CLOCK})(?![\w:-]|[.,]\d|[ ]?(?:mg|mL|%))"
)
_ONE = re.compile(
    rf"(?<![\w:.,/])({_CLOCK}):([0-5]\d)(?::([0-5]\d))?(?:[ ]?({_HALF}))?(?![\w:]|\.\d)"
)
_HOUR = re.compile(rf"(?<![\w:.,/$-])(1[0-2]|0?[1-9])[ ]?({_HALF})(?!\w)")
_MILITARY = re.compile(
    r"\b((?:at|by|until|before|after|from)[ ]|@[ ]?)([01]\d|2[0-3])([0-5]\d)[ ]?(?:hrs?|hours)\b"
)
_RATIO = re.compile(
    r"((?:[Rr]atio|[Dd]ilut\w+|[Mm]ix\w*|[Cc]oncentration|[Oo]dds)\b[^:\d]{0,20})"
    r"(\d{1,6}):(\d{1,6})(?![\w:])"
)
_PROPORTION = re.compile(r"(?<![\w:.,/-])(\d{1,3}):(\d{1,3}(?:,\d{3})+|\d|\d{3,6})(?![\w:]|[.]\d)")


def read(text: str) -> str:
    """Times, and the ratios that are written like them, in words."""
    text = _MILITARY.sub(r"\1\2:\3", text)
    text = _RATIO.sub(lambda m: f"{m.group(1)}{_ratio(m.group(2), m.group(3))}", text)
    text = _PROPORTION.sub(lambda m: _ratio(m.group(1), m.group(2)), text)
    text = _SPAN.sub(_span, text)
    text = _SPAN_CLOCK.sub(lambda m: f"{m.group(1)} to {m.group(2)}", text)
    text = _ONE.sub(_one, text)
    return _HOUR.sub(lambda m: f"{cardinal(int(m.group(1)))} {_half(m.group(2))}", text)


def _ratio(left: str, right: str) -> str:
    return f"{number(left)} to {number(right)}"


def _span(match: re.Match[str]) -> str:
    """ "8-10 a.m.": the half of the day that stands last holds for both."""
    first, half, last = match.group(1, 2, 3)
    word = re.search(r"\b(to|and|until)\b", match.group())
    hour, _, minute = first.partition(":")
    said = _clock(int(hour), int(minute or "0"), half or last)
    return f"{said}{' ' + _half(half) if half else ''} {word.group() if word else 'to'} {last}"


def _one(match: re.Match[str]) -> str:
    hour, minute, second, half = match.groups()
    said = _clock(int(hour), int(minute), half)
    if second:
        return (
            f"{cardinal(int(hour))} {_minute(int(minute))} and {cardinal(int(second))} seconds"
            + (f" {_half(half)}" if half else "")
        )
    return f"{said} {_half(half)}" if half else said


def _clock(hour: int, minute: int, half: str | None) -> str:
    if minute:
        return f"{cardinal(hour)} {_minute(minute)}"
    if half:
        return cardinal(hour)
    if 1 <= hour <= 12:
        return f"{cardinal(hour)} o'clock"
    return f"{cardinal(hour)} hundred"


def _minute(minute: int) -> str:
    if not minute:
        return "zero"
    return f"oh {cardinal(minute)}" if minute < 10 else cardinal(minute)


def _half(sign: str) -> str:
    return " ".join(char for char in sign.lower() if char.isalpha())
