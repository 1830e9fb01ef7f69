"""Numbers as English words: cardinals, decimals, digit by digit, ordinals, years, door numbers.

    cardinal(120)  one hundred twenty      digits("0482")  zero four eight two
    number("3.14") three point one four    year(2026)      twenty twenty-six
    ordinal(3)     third                   door("302")     three oh two

It does not know what a number counts.
"""

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
).split()
_TENS = "ten twenty thirty forty fifty sixty seventy eighty ninety".split()
_SCALES = ((10**12, "trillion"), (10**9, "billion"), (10**6, "million"), (1000, "thousand"))
_ORDINALS = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}
_MOST = 10**15
"""Beyond it nobody follows a number; it is read digit by digit."""


def cardinal(value: int) -> str:
    """120 -> "one hundred twenty"; digit by digit from 10**15 on."""
    if value >= _MOST:
        return digits(str(value))
    for scale, name in _SCALES:
        if value >= scale:
            head, rest = divmod(value, scale)
            return f"{cardinal(head)} {name}" + (f" {cardinal(rest)}" if rest else "")
    if value >= 100:
        head, rest = divmod(value, 100)
        return f"{_ONES[head]} hundred" + (f" {cardinal(rest)}" if rest else "")
    if value < 20:
        return _ONES[value]
    head, rest = divmod(value, 10)
    return _TENS[head - 1] + (f"-{_ONES[rest]}" if rest else "")


def digits(text: str) -> str:
    """ "0482" -> "zero four eight two"; what is no digit is left out."""
    return " ".join(_ONES[int(char)] for char in text if char.isdigit())


def number(text: str) -> str:
    """A written number, "1,000", "0.5", ".5", "38.50": as it is said.

    Digit by digit where it begins with a needless zero, as only names of things do.
    """
    whole, point, part = text.replace(",", "").partition(".")
    if len(whole) > 1 and whole[0] == "0":
        said = digits(whole)
    else:
        said = cardinal(int(whole or "0")) if len(whole) < 16 else digits(whole)
    return f"{said} point {digits(part)}" if point and part else said


def ordinal(value: int) -> str:
    """3 -> "third"; 21 -> "twenty-first"."""
    said = cardinal(value)
    cut = max(said.rfind(" "), said.rfind("-")) + 1
    head, last = said[:cut], said[cut:]
    if last in _ORDINALS:
        return head + _ORDINALS[last]
    return head + (last[:-1] + "ieth" if last.endswith("y") else last + "th")


def year(value: int) -> str:
    """2026 -> "twenty twenty-six"; 2005 -> "two thousand five"; 1900 -> "nineteen hundred"."""
    head, rest = divmod(value, 100)
    if not 1100 <= value <= 2099 or 2000 <= value <= 2009:
        return cardinal(value)
    if not rest:
        return f"{cardinal(head)} hundred"
    return f"{cardinal(head)} {_with_oh(rest)}"


def door(text: str) -> str:
    """The number on a door or a house: "302" -> "three oh two", "1204" -> "twelve oh four"."""
    if text.startswith("0") or len(text) > 4:
        return digits(text)
    if len(text) < 3 or text.endswith("00"):
        return year(int(text)) if len(text) == 4 else cardinal(int(text))
    return f"{cardinal(int(text[:-2]))} {_with_oh(int(text[-2:]))}"


def letters(text: str) -> str:
    """ "ICU" -> "I C U"."""
    return " ".join(char for char in text if char.isalpha())


def plural(value: str) -> bool:
    """Whether a written number takes the plural: all but "1" do, "0.5" and "1.0" too."""
    return value != "1"


def _with_oh(value: int) -> str:
    return f"oh {_ONES[value]}" if value < 10 else cardinal(value)
