"""Signs in words: comparisons, plus and minus, arithmetic, results of tests.

    compared   "<", ">=", "±", "≠"     before all that reads numbers, so that none is left standing
    leading    "-20 °C", "~30 min"     before quantities, after dates and telephone numbers
    joining    "2 + 2 = 4", "3x"       after quantities, when a "-" can no longer be a range

Meaning is kept: no comparison, "not" or "minus" is ever lost. It does not know units.
"""

import re
from collections.abc import Iterable

from voiced.tts.spoken.characters import NO

_Table = tuple[tuple[re.Pattern[str], str], ...]


def _table(rows: Iterable[tuple[str, str]]) -> _Table:
    return tuple((re.compile(pattern), words) for pattern, words in rows)


_TESTS = r"HIV|HBsAg|HCV|HPV|COVID(?:-19)?|MRSA|TB|Rh|RhD|ER|PR|HER2|EGFR|ANA|RSV|STI|[Ss]trep"
_BLOOD = r"((?:[Bb]lood|[Tt]ype|[Gg]roup)[ ](?:is[ ])?)(A|B|AB|O)"

_COMPARED = _table(
    (
        (NO, "no, "),
        (rf"\b({_TESTS})[ ]?\(?\+\)?(?!\w)", r"\1 positive"),
        (rf"\b({_TESTS})[ ]?\(-\)|\b({_TESTS})-(?![\w-])(?![ ]\d)", r"\1\2 negative"),
        (r"(?<![\w+])\+ve\b", "positive"),
        (r"(?<![\w-])-ve\b", "negative"),
        (r"(?<!\S)\+{4}(?=[ ])", "four plus"),
        (r"(?<!\S)\+{3}(?=[ ])", "three plus"),
        (r"(?<!\S)\+{2}(?=[ ])", "two plus"),
        (r"(?<!\w)[Ø∅](?=[ ])", "no"),
        (r"∴", "therefore "),
        (r"∆", "delta"),
        (r"[ ]?\(\+\)", " positive"),
        (r"[ ]?\(-\)", " negative"),
        (rf"{_BLOOD}\+(?!\w)", r"\1\2 positive"),
        (rf"{_BLOOD}-(?!\w)", r"\1\2 negative"),
        (r"[ ]?(?:\+/-|\+-|±)[ ]?", " plus or minus "),
        (r"[ ]?(?:!=|=/=|≠)[ ]?", " is not equal to "),
        (r"[ ]?(?:<-+>|<=+>|↔)[ ]?", ", "),
        (r"[ ]?(?:<=|=<|≤|≦)[ ]?", " less than or equal to "),
        (r"[ ]?(?:-+>|=+>(?![ ]?\d)|→|⇒|➔)[ ]?(?=[-+]?\d)", " to "),
        (r"[ ]?(?:-+>|=+>(?![ ]?\d)|→|⇒|➔)[ ]?", ", "),
        (r"[ ]?(?:>=|=>|≥|≧)[ ]?", " greater than or equal to "),
        (r"[ ]?(?:↑+|⬆)[ ]?", " up "),
        (r"[ ]?(?:↓+|⬇)[ ]?", " down "),
        (r"<([A-Za-z][\w -]{0,40})>", r" \1 "),
        (r"[ ]?(?:<<|≪)[ ]?(?=\S)", " much less than "),
        (r"[ ]?(?:>>|≫)[ ]?(?=\S)", " much greater than "),
        (r"[ ]?<[ ]?(?=\S)", " less than "),
        (r"[ ]?>[ ]?(?=\S)", " greater than "),
    )
)
_LEADING = _table(
    (
        (r"[ ]?(?:≈|≅|≃)[ ]?", " about "),
        (r"(?<!\w)~[ ]?(?=[-+$€£]?\.?\d)", "about "),
        (r"(?<=\d)[ ]?\*\*[ ]?(?=\d)", "^"),
        (r"(?<=\d)[ ]?[x×][ ]?(?=10\^-?\d+[ ]?[A-Za-z])", " times "),
        (r"(?<=\d)\^-(?=\d+[ ]?[A-Za-z])", " to the power of minus "),
        (r"(?<=\d)\^(?=\d+[ ]?[A-Za-z])", " to the power of "),
        (r"(?<=[\s=(,:×])-(?=\.?\d)|^-(?=\.?\d)", "minus "),
        (r"(?<=[\s=(,:])\+(?=\.?\d)|^\+(?=\.?\d)", "plus "),
    )
)
_JOINING = _table(
    (
        (r"(?<=[\d)])[ ]?[×*][ ]?(?=[\d(.])|(?<=\b[A-Za-z]) [×*] (?=[A-Za-z\d]\b)", " times "),
        (r"(?<=meters|inches)[ ]?[x×][ ]?(?=\w)", " by "),
        (r"(?<=[a-z])[ ]?×[ ]?(?=\d)|(?<=[a-z])[ ]x[ ](?=\d)", " times "),
        (r"(?<=\d)[ ]?x[ ]?(?=10\^)", " times "),
        (r"(?<=\d)[ ]x[ ](?=\d)|(?<=\d)x(?=\d)", " by "),
        (r"(?<=\dx)/(?=(?:day|week|month|hour|night)\b)", " per "),
        (r"(?<=\d)x\b|(?<=\d)[ ]?×(?!\w)", " times "),
        (r"[ ]?÷[ ]?", " divided by "),
        (r"(?<=[A-Za-z\d])\^2(?!\d)", " squared"),
        (r"(?<=[A-Za-z\d])\^3(?!\d)", " cubed"),
        (r"(?<=\w)\^-(?=\d)", " to the power of minus "),
        (r"(?<=\w)\^(?=\d)", " to the power of "),
        (r"(?<=\d)[ ]-[ ]?(?=\.?\d)", " minus "),
        (r"(?<=[\w)])[ ]?\+[ ]?(?=[\d(.$])|(?<=\w) \+ (?=\w)", " plus "),
        (r"(?<=[\dA-Za-z])\+(?!\w)", " plus "),
        (r"(?<![=<>!])[ ]?=[ ]?(?=[-+.\w($])", " equals "),
        (r"(?<=\w)/(?=(?:day|week|month|year|hour|minute|dose|visit|person)\b)", " per "),
        (r"&", " and "),
        (r"[ ]?°(?=\W|$)", " degrees "),
        (r"√(?=\d)", "the square root of "),
        (r"(?<=\d):(?=\d)", " to "),
    )
)


def compared(text: str) -> str:
    """Comparisons and test results in words."""
    return _read(text, _COMPARED)


def leading(text: str) -> str:
    """Signs before a number in words."""
    return _read(text, _LEADING)


def joining(text: str) -> str:
    """Signs between numbers and words in words."""
    return _read(text, _JOINING)


def _read(text: str, table: _Table) -> str:
    for pattern, words in table:
        text = pattern.sub(words, text)
    return text
