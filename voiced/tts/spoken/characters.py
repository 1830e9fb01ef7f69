"""One spelling for each sign: many characters that look alike become one, decoration goes.

It does not know words or languages, only signs.
"""

import re
import unicodedata

_DECORATION = re.compile(
    "[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\u2300-\u23ff\u25a0-\u25ff\u2500-\u257f"
    "\ufe00-\ufe0f\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff\u00ad\u20e3\u20d0-\u20f0"
    "\U000e0000-\U000e007f\ue000-\uf8ff\ufffc\ufffd\u2122\u00ae\u00a9\u2120]"
)
_NO_SIGNS = re.compile("[\u274c\u2717\u2718\u2716\u26d4\U0001f6ab]\ufe0f?")
"""A cross stands for "no": it is the one picture that may carry a denial."""
_COMPOSED = re.compile(
    "[\uff01-\uff5e\u3300-\u33ff\u2100-\u214f\u2160-\u217f\u2460-\u249b\ufb00-\ufb06\u2070-\u2079\u2080-\u2089"
    "\u00b2\u00b3\u00b9]"
)
_RAISED = re.compile("(?<=[\\w\\)])([\u2070\u00b9\u00b2\u00b3\u2074-\u207b]+)")
_FRACTION = re.compile("(?:(\\d)[ ]?)?([\u00bc-\u00be\u2150-\u215e])")
_SPACES = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\t\v\f\r]+")
_DIGIT = re.compile(r"(?![0-9])\d")

_SAME = str.maketrans(
    {
        "\u2018": "'", "\u2019": "'", "\u201a": "'", "\u02bc": "'", "\u2032": "'",
        "\u201c": '"', "\u201d": '"', "\u201e": '"', "\u2033": '"',
        "\u2010": "-", "\u2011": "-", "\u2012": "-", "\u2013": "-", "\u2212": "-", "\ufe63": "-",
        "\u2014": ", ", "\u2015": ", ",
        "\u03bc": "\u00b5", "\u02da": "\u00b0", "\u00ba": "\u00b0",
        "\u2215": "/", "\u2236": ":", "\u223c": "~", "\u301c": "~",
        "\u2a7d": "\u2264", "\u2a7e": "\u2265", "\u2026": "...",
        "\u22c5": "\u00d7", "\u2217": "\u00d7",
    }
)  # fmt: skip

_DASHED_RANGE = re.compile("(?<=\\d)[ ]?\u2014[ ]?(?=\\d)")
_LONG_DASH = re.compile(r"(?<=\d)-{2,3}(?=\d)")
_DASH = re.compile(
    "(?<!\\s)\\s{1,4}(?:[\u2013\u2014]|-{1,3})\\s{1,4}(?=[^\\d\\s$.+])|-{2,3}(?=[A-Za-z])"
)
"""A dash with space on both sides and no number behind it parts the sentence."""

NO = "\u2717"
"""What a picture of denial becomes; each language reads it."""


def even(text: str) -> str:
    """Signs evened out for a language whose rules read them."""
    text = _DASHED_RANGE.sub("-", _LONG_DASH.sub("-", text))
    text = _NO_SIGNS.sub(lambda _: f" {NO} ", unicodedata.normalize("NFC", text))
    text = "".join(part if part == NO else _DECORATION.sub(" ", part) for part in _parts(text))
    text = _FRACTION.sub(_fraction, _DASH.sub(", ", text))
    text = _RAISED.sub(_raised, text)
    text = _COMPOSED.sub(lambda m: unicodedata.normalize("NFKC", m.group()), text)
    text = _DIGIT.sub(lambda m: str(unicodedata.digit(m.group())), text)
    return _SPACES.sub(" ", text.translate(_SAME))


def plain_marks(text: str) -> str:
    """Only decoration goes: for a language that the voice reads by itself."""
    return _SPACES.sub(" ", _DECORATION.sub(" ", unicodedata.normalize("NFC", text)))


def _parts(text: str) -> list[str]:
    return re.split(f"({NO})", text)


def _raised(match: re.Match[str]) -> str:
    """ "m²" is a power, "Ca²⁺" a charge."""
    signs = unicodedata.normalize("NFKC", match.group(1))
    return signs if signs[-1] in "+\u2212" else f"^{signs}"


def _fraction(match: re.Match[str]) -> str:
    """ "1½" becomes "1 1⁄2": the fraction slash says that it is one, and no date."""  # noqa: RUF002
    parts = unicodedata.normalize("NFKC", match.group(2))
    return f"{match.group(1)} {parts} ".lstrip() if match.group(1) else f"{parts} "
