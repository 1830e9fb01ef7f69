"""What Sonic is given of a clause: plain words, with the space that parts it from the next. Pure.

Sonic reads `<break/>` and `<<phones>>` in a text as orders; a language model must not give any. It
does not know spoken forms: those are made before.
"""

import re
import unicodedata

_ORDERS = re.compile(r"[<>]")
_SPACE = re.compile(r"\s+")


def transcript(text: str) -> str:
    """The clause as it is sent; "" when there is nothing in it that can be said."""
    plain = "".join(
        " " if unicodedata.category(one) in ("Cc", "Cs", "Co", "Cn") else one
        for one in _ORDERS.sub(" ", text)
    )
    words = _SPACE.sub(" ", plain).strip()
    return f"{words} " if any(one.isalnum() for one in words) else ""
