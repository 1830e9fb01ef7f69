"""What is left when every kind has been read: plain numbers, ordinals and single signs.

No digit is left behind: what no rule knew is read as it stands.
"""

import re

from voiced.tts.spoken.english.numbers import number, ordinal

_ORDINAL = re.compile(r"(?<![\w.,])(\d{1,3}(?:,\d{3})+|\d{1,9})(?:st|nd|rd|th)\b")
_BESIDE = re.compile(r"(?<=[^\W\d_])[ ]/[ ](?=\w)|(?<=\w)[ ]/[ ](?=[^\W\d_])")
_SLASH = re.compile(r"(?<=\w)/(?=[A-Za-z])|(?<=[A-Za-z])/(?=\w)|(?<=\d)[ ]?/[ ]?(?=\d)")
_DASHED = re.compile(r"(?<=\d)-(?=\d)")
_NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+(?![\d,])(?:\.\d+)?|\d+(?:\.\d+)?|(?<![\d\w])\.\d+")
_AT = re.compile(r"(?<=\w)[ ]?@[ ]?(?=\w)|@(?=\w)")
_PERCENT = re.compile(r"[ ]?%")
_FILE = re.compile(r"(?<=[a-z]{2})\.(?=[a-z])")
_COMMA = re.compile(r"(?<=\d),(?=\d)(?!\d{3}(?!\d))")
_LIST = re.compile(r"(?<![\d,])\d+,\d{1,2}(?:,\d+)+(?!\d)")
_POINT = re.compile(r"(?<=[A-Za-z])\.(?=\d)")
_EDGE = re.compile(r"(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")


def read(text: str) -> str:
    """The text without digits and without signs that carry meaning."""
    text = _ORDINAL.sub(lambda m: ordinal(int(m.group(1).replace(",", ""))), text)
    text = _DASHED.sub(" dash ", _SLASH.sub(" slash ", _BESIDE.sub(", ", text)))
    text = _PERCENT.sub(" percent", _AT.sub(" at ", text))
    text = _FILE.sub(" dot ", text.replace("_", " "))
    text = _POINT.sub(" point ", _LIST.sub(lambda m: m.group().replace(",", ", "), text))
    text = _COMMA.sub(" comma ", text)
    return _NUMBER.sub(lambda m: number(m.group()), _EDGE.sub(" ", text))
