"""What is left when every kind has been read: plain numbers, ordinals and single signs.

No digit is left behind: what no rule knew is read as it stands.
"""

import re

from voiced.tts.spoken.english.numbers import number, ordinal

_ORDINAL = re.compile(r"(?<![\w.,])(\d{1,3}(?:,\d{3})+|\d{1,9})(?:st|nd|rd|th)\b")
_DENIED_WORD = re.compile(r"(?<=\w)/(?=[A-Za-z])|(?<=[A-Za-z])/(?=\w)|(?<=\d)[ ]?/[ ]?(?=\d)")
_DASHED = re.compile(r"(?<=\d)-(?=\d)")
_NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+(?![\d,])(?:\.\d+)?|\d+(?:\.\d+)?|(?<![\d\w])\.\d+")
_AT = re.compile(r"(?<=\w)[ ]?@[ ]?(?=\w)|@(?=\w)")
_PERCENT = re.compile(r"[ ]?%")
_FILE = re.compile(r"(?<=[a-z]{2})\.(?=[a-z])")
_COMMA = re.compile(r"(?<=\d),(?=\d)(?!\d{3}(?!\d))")
_EDGE = re.compile(r"(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])")


def read(text: str) -> str:
    """The text without digits and without signs that carry meaning."""
    text = _ORDINAL.sub(lambda m: ordinal(int(m.group(1).replace(",", ""))), text)
    text = _DASHED.sub(" dash ", _DENIED_WORD.sub(" slash ", text))
    text = _PERCENT.sub(" percent", _AT.sub(" at ", text))
    text = _FILE.sub(" dot ", text.replace("_", " "))
    text = _COMMA.sub(" comma ", text)
    return _NUMBER.sub(lambda m: number(m.group()), _EDGE.sub(" ", text))
