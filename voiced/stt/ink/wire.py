"""Ink's messages on the endpoint where the client ends a turn: closed events in, words out. Pure.

Sound goes in as raw 16-bit PCM; `finalize`, a bare word, asks for all of it to be read. Texts come
as pieces, each behind the one before, blanks included. It does not know sockets or deadlines.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeAlias
from urllib.parse import quote, urlencode

from voiced.audio.pcm import HEARING_HZ
from voiced.cartesia import api
from voiced.config.ink import Ink
from voiced.words import Words

FINALIZE = "finalize"

_TERMS, _TERM_LETTERS = 100, 1200
"""The most that the server takes."""


@dataclass(frozen=True, slots=True)
class Piece:
    """What was read of the sound behind the last final piece."""

    text: Words
    final: bool
    """It stays; another one may still follow. Else the next piece replaces it."""


@dataclass(frozen=True, slots=True)
class Flushed:
    """All sound up to a `finalize` has been read. Some servers send its last piece behind it."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """An error."""

    reason: str
    """Static."""
    lasting: bool
    """The connection is of no more use."""


Event: TypeAlias = Piece | Flushed | Trouble


def url(ink: Ink, language: str, hotwords: Sequence[str]) -> str:
    """Where one call's sound in a language is sent. Only the English model takes hotwords."""
    query = [
        ("model", ink.model(language)),
        ("language", language),
        ("encoding", "pcm_s16le"),
        ("sample_rate", str(HEARING_HZ)),
    ]
    if language == "en":
        query += [("keyterm", word) for word in _fitting(hotwords)]
    return api.socket_url(ink.url, f"/stt/websocket?{urlencode(query, quote_via=quote)}")


def _fitting(hotwords: Sequence[str]) -> list[str]:
    """As many of them as the server takes."""
    lengths = accumulate(len(word) for word in hotwords)
    fit = [word for word, length in zip(hotwords, lengths, strict=True) if length <= _TERM_LETTERS]
    return fit[:_TERMS]


def event(raw: str | bytes) -> Event | None:
    """A message of the server's; None for what means nothing here. Raises api.Garbled.

    Word times and the length of what was read are not looked at: servers disagree about both.
    """
    message = api.message(raw)
    match message.get("type"):
        case "transcript":
            text = message.get("text") or ""
            if not isinstance(text, str):
                raise api.Garbled
            return Piece(Words(text), message.get("is_final") is True)
        case "flush_done":
            return Flushed()
        case "error":
            status = api.status(message)
            return Trouble(api.reason_of(status), lasting=not 400 <= status < 500)
        case str():
            return None
        case _:
            raise api.Garbled
