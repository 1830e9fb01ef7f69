"""Signs between and before numbers: comparisons, arithmetic, plus and minus. Meaning is kept: a
"not", "no" or "minus" is never lost.

It does not know units; it reads what stands between words and numbers.
"""

import re

from voiced.tts.spoken.characters import NO

_NUM = r"(?=[ ]?[-+]?[$€£]?\.?\d)"
_TESTS = r"HIV|HBsAg|HCV|HPV|COVID(?:-19)?|MRSA|TB|Rh|ER|PR|HER2|EGFR|ANA|RSV|STI|RhD|strep|Strep"


def _compared(sign: str) -> str:
    """The sign where it compares: between two numbers or words, or before a number."""
    return (
        rf"(?<=[\w)%])[ ]?{sign}[ ]?(?=[-+.$]?\d)|(?<![^\s(:,]){sign}[ ]?(?=[-+.$]{{0,2}}\d)"
        rf"|(?<=\d){sign}(?=\w)|(?<=[\w)]) {sign} (?=\w)"
    )


_WORDS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), word)
    for pattern, word in (
        (NO, "no, "),
        (rf"\b({_TESTS})\+(?!\w)", r"\1 positive"),
        (rf"\b({_TESTS})-(?![\w-])(?![ ]\d)", r"\1 negative"),
        (r"((?:[Bb]lood|[Tt]ype|[Gg]roup)[ ](?:is[ ])?)(A|B|AB|O)\+(?!\w)", r"\1\2 positive"),
        (r"((?:[Bb]lood|[Tt]ype|[Gg]roup)[ ](?:is[ ])?)(A|B|AB|O)-(?!\w)", r"\1\2 negative"),
        (r"[ ]?(?:\+/-|\+-|±)[ ]?", " plus or minus "),
        (r"[ ]?(?:!=|=/=|≠)[ ]?", " is not equal to "),
        (r"[ ]?(?:<=|=<|≤|≦)[ ]?", " less than or equal to "),
        (r"[ ]?(?:>=|≥|≧)[ ]?", " greater than or equal to "),
        (r"[ ]?(?:-+>|=+>|→|⇒|➔)[ ]?(?=[-+]?\d)", " to "),
        (r"[ ]?(?:-+>|=+>|→|⇒|➔)[ ]?", ", "),
        (r"[ ]?(?:≈|≅)[ ]?", " about "),
        (rf"(?<!\w)~{_NUM}", "about "),
        (_compared("<"), " less than "),
        (_compared(">"), " greater than "),
        (r"(?<=[\d)])[ ]?[×*][ ]?(?=[\d(.])|(?<=\b[A-Za-z]) [×*] (?=[A-Za-z\d]\b)", " times "),
        (r"(?<=\d)[ ]x[ ](?=\d)|(?<=\d)x(?=\d)", " by "),
        (r"(?<!\w)[x×](?=\d+[ ]?(?:days?|weeks?|months?|hours?|doses?|nights?)\b)", "for "),
        (r"(?<=\d)x\b|(?<=\d)[ ]?×(?!\w)", " times "),
        (r"[ ]?÷[ ]?", " divided by "),
        (r"(?<=\d)[ ]?\*\*[ ]?(?=\d)|(?<=\w)\^(?=-?\d)", " to the power of "),
        (r"(?<=\d)[ ]-[ ]?(?=\.?\d)", " minus "),
        (r"(?<=[\s=(,:~])-(?=\.?\d)|^-(?=\.?\d)", " minus "),
        (r"(?<=[\d)])[ ]?\+[ ]?(?=[\d(.$])|(?<=\w) \+ (?=\w)", " plus "),
        (r"(?<![\w])\+(?=\.?\d)", " plus "),
        (r"(?<=[\dA-Za-z])\+(?!\w)", " plus "),
        (r"(?<=[\w)%])[ ]?=[ ]?(?=[-+.\w($])", " equals "),
        (r"&", " and "),
        (r"[ ]?°(?=\W|$)", " degrees "),
        (r"√(?=\d)", "the square root of "),
    )
)


def read(text: str) -> str:
    """The text with its signs in words."""
    for pattern, word in _WORDS:
        text = pattern.sub(word, text)
    return text
