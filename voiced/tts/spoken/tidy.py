"""The last look: no sign is left that a voice would name, and each pause stands once.

It does not know what the words mean.
"""

import re

_KEPT = re.compile(
    r"[^\w\s.,;:?!'’\-、。，！？；：…¿¡·՞؟،۔।॥・ー％%°€£\u0300-\u036f\u0900-\u0dff\u0e00-\u0eff]|_"
)
_PLURAL = re.compile(r"(?<=\w)\(s\)")
_LAST_BRACKET = re.compile(r"[)）](?!\s*\w)")
_BRACKET = re.compile(r"[()（）]")
_LONE = re.compile(r"(?<![\w])[-'’·°%]+(?!\w)|(?<=\s)[-']+(?=\s)")
_QUOTES = re.compile(r"[\"“”„«»「」『』]")
_OUTER_QUOTE = re.compile(r"(?<!\w)['’]|['’](?!\w)")
_SPACE_BEFORE = re.compile(r" (?=[.,;:?!、。，！？；：…])")
_RUNNING_ON = re.compile(r"(?:\.{2,}|…)(?=\w)")
_DOTS = re.compile(r"\.{2,}|…+")
_DOUBLED = re.compile(r"([,;:])(?:\s*[,;:])+")
_WEAK_BEFORE = re.compile(r"[,;:]+\s*(?=[.?!])")
_WEAK_AFTER = re.compile(r"([.?!])\s*[,;:]+|([.])(?:\s*\.)+")
_LEADING = re.compile(r"^(?:[\s,;:?!、。，！？；：]|[.\-](?!\d))+")
"""But not the sign of a number that the voice reads itself: "-4 Grad"."""


def tidy(text: str) -> str:
    """Words and pauses; "" when there is no word."""
    text = _BRACKET.sub(", ", _LAST_BRACKET.sub(" ", _PLURAL.sub("s", text)))
    text = _OUTER_QUOTE.sub("", _KEPT.sub(" ", _QUOTES.sub("", text)))
    text = _RUNNING_ON.sub(". ", text)
    text = _DOTS.sub(".", _LONE.sub(" ", text))
    text = _SPACE_BEFORE.sub("", " ".join(text.split()))
    text = _WEAK_BEFORE.sub("", _DOUBLED.sub(r"\1", text))
    text = _WEAK_AFTER.sub(lambda m: m.group(1) or m.group(2), text)
    text = _LEADING.sub("", text)
    return " ".join(text.split()) if any(char.isalnum() for char in text) else ""
