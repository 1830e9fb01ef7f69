"""Addresses of the web and of mail, as one would read them to somebody who writes them down.

It does not know which exist.
"""

import re

from voiced.tts.spoken.english.numbers import digits

_MAIL = re.compile(r"(?:mailto:)?\b([\w.+-]{1,64})@([\w-]{1,63}(?:\.[\w-]{1,63}){1,6})", re.ASCII)
_URL = re.compile(r"\b(?:https?://|www\.)[^\s<>\"|]{1,2000}", re.IGNORECASE)
_HOST = re.compile(
    r"(?<![\w@./-])((?:[a-z0-9-]{1,63}\.){1,5}"
    r"(?:com|org|net|edu|gov|info|health|io|uk|kr|de|fr|eu|jp))"
    r"(/[\w/.%~-]{0,200})?(?![\w-])",
    re.IGNORECASE,
)
_SIGNS = {
    ".": "dot", "/": "slash", "-": "dash", "_": "underscore", "?": "question mark", "=": "equals",
    "&": "and", "#": "hash", "@": "at", "+": "plus", ":": "colon", "%": "percent", "~": "tilde",
}  # fmt: skip
_PARTS = re.compile(r"[^\W\d_]+|\d+|.", re.DOTALL)
_SCHEME = re.compile(r"^https?://", re.IGNORECASE)


def read(text: str) -> str:
    """Every address in words."""
    text = _MAIL.sub(lambda m: f"{_spell(m.group(1))} at {_spell(m.group(2))}", text)
    text = _URL.sub(_url, text)
    return _HOST.sub(lambda m: _spell(m.group()), text)


def _url(match: re.Match[str]) -> str:
    """The scheme goes without saying; marks at its end belong to the sentence."""
    address = match.group()
    body = address.rstrip(".,;:!?)]}'*_")
    tail = address[len(body) :]
    return _spell(_SCHEME.sub("", body).rstrip("/")) + tail


def _spell(address: str) -> str:
    said = []
    for part in _PARTS.findall(address):
        if part.isdigit():
            said.append(digits(part))
        else:
            said.append(_SIGNS.get(part, part if part.isalpha() else " "))
    return " ".join(" ".join(said).split()).replace("www dot", "w w w dot")
