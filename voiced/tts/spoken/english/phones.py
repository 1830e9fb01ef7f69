"""Telephone numbers, digit by digit, a short pause between the groups.

It does not know whose they are, nor which numbers exist.
"""

import re

from voiced.tts.spoken.english.numbers import digits

_SEP = r"[-. ]"
_START = r"(?<![\w+.,/-])"
_END = r"(?![\w/]|[.,-]\d)"
_EXT = r"(?:,?[ ]?(?:ext\.?|extension|x)[ ]?(\d{1,6}))?"
_AMERICAN = re.compile(
    rf"{_START}(\+?1{_SEP})?(\(\d{{3}}\)[ ]?|\d{{3}}{_SEP})(\d{{3}}){_SEP}(\d{{4}}){_EXT}{_END}"
)
_ABROAD = re.compile(
    rf"{_START}\+(?=(?:[-. ()]{{0,2}}\d){{7,15}})"
    rf"(\d{{1,3}}(?:[-. ]?\(?\d{{1,5}}\)?){{1,5}}){_EXT}{_END}"
)
_TRUNK = re.compile(rf"{_START}(\(?0\d{{1,4}}\)?(?:[-. ]\d{{3,4}}){{1,3}}){_EXT}{_END}")
_LOCAL = re.compile(
    rf"{_START}(\d{{3}})-(\d{{4}}){_EXT}{_END}"
    r"(?![ ]?(?:mg|mcg|mL|ml|g|kg|kcal|cal|units?|IU|steps)\b)"
)
_SHORT = re.compile(
    r"(\b(?:[Cc]all|[Dd]ial|[Tt]ext|[Pp]hone|[Rr]ing|[Pp]age)[ ]"
    r"(?:us[ ]at[ ]|to[ ]|[A-Z]{2,12}[ ]to[ ])?)"
    r"(\d{3,6})(?![\w/%:]|[.,-]\d)"
)
_SECURITY = re.compile(rf"{_START}(\d{{3}})-(\d{{2}})-(\d{{4}}){_END}")
_EXTENSION = re.compile(r"\b(?:[Ee]xt\b\.?|[Ee]xtension)[ ]?(\d{1,6})\b")


def read(text: str) -> str:
    """Every telephone number of the text in words; other numbers stay as they are."""
    text = _AMERICAN.sub(_american, text)
    text = _ABROAD.sub(lambda m: "plus " + _groups(m.group(1), m.group(2)), text)
    text = _TRUNK.sub(lambda m: _groups(m.group(1), m.group(2)), text)
    text = _SECURITY.sub(lambda m: _groups(m.group(), None), text)
    text = _LOCAL.sub(lambda m: _groups(f"{m.group(1)} {m.group(2)}", m.group(3)), text)
    text = _SHORT.sub(lambda m: m.group(1) + digits(m.group(2)), text)
    return _EXTENSION.sub(lambda m: "extension " + digits(m.group(1)), text)


def _american(match: re.Match[str]) -> str:
    country, area, office, line, extension = match.groups()
    plus = "plus " if country and country.startswith("+") else ""
    return plus + _groups(" ".join((country or "", area, office, line)), extension)


def _groups(number: str, extension: str | None) -> str:
    """The runs of digits, a comma between them."""
    said = ", ".join(digits(group) for group in re.findall(r"\d+", number))
    return f"{said}, extension {digits(extension)}" if extension else said
