"""What Sonic is given of a clause: plain words, with the space that parts it from the next. Pure.

    Ask Nguyen <b>now</b>     ->  Ask Nguyen b now /b     ->  Ask <<w|ɪ|n>> b now /b

Sonic reads `<break/>` and `<<phones>>` in a text as orders; a language model must not give any, the
site's lexicon may. It does not know spoken forms: those are made before.
"""

# ruff: noqa: RUF001, RUF002 - letters of the phonetic alphabet look like others

import re
import unicodedata

from voiced.tts.lexicon import Lexicon, Said

_ORDERS = re.compile(r"[<>]")
_SPACE = re.compile(r"\s+")
_PHONE = re.compile(r"[ˈˌ]*(?:tʃ|dʒ|aɪ|aʊ|eɪ|oʊ|ɔɪ|əʊ|[^\sˈˌː])[ːˑ\u0300-\u036f]*")
"""With the stress before it and the length behind it."""


def transcript(text: str) -> str:
    """The clause as it is sent; "" when there is nothing in it that can be said."""
    plain = "".join(
        " " if unicodedata.category(one) in ("Cc", "Cs", "Co", "Cn") else one
        for one in _ORDERS.sub(" ", text)
    )
    words = _SPACE.sub(" ", plain).strip()
    return f"{words} " if any(one.isalnum() for one in words) else ""


def pronounced(text: str, lexicon: Lexicon) -> str:
    """What `transcript` made, with the site's words: respelt, or as phones where they have no
    respelling."""
    return lexicon.rewritten(text, _written)


def _written(said: Said) -> str:
    return said.say or f"<<{'|'.join(_PHONE.findall(said.ipa))}>>"
