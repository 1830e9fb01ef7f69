"""[ink]: Cartesia's recogniser Ink, where a site runs it; off unless an address is written.

Models and API version are plain text: they change with the vendor's images, not with this program.
It does not know the protocol (`voiced.stt.ink`).
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import Field

_Url = Annotated[str, Field(pattern=r"^(https?://[^/?#\s@]+(/[^?#\s@]*)?)?$")]
_Milliseconds = Annotated[int, Field(ge=1, le=60_000)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ink:
    """[ink]: where it is, and how long it may take. The local recogniser reads what it does not."""

    url: _Url = ""
    """http://HOST:PORT of the API server, or the vendor's cloud; empty: off."""
    key_file: Path | None = None
    """File whose first line is the API key; none: the unit's credential `ink-key`, if any."""
    version: str = "2026-03-01"
    """The `Cartesia-Version` that is asked for."""
    english: str = "ink-2"
    """The model for English; empty: the local recogniser reads it."""
    others: str = "ink-whisper"
    """The model for every other language; empty: the local recogniser reads them."""
    connect_deadline_ms: _Milliseconds = 1_000
    final_deadline_ms: _Milliseconds = 400
    """The words of a turn are not there so long after its pause: the local recogniser reads it."""
    grace_ms: _Milliseconds = 60
    """Some servers say that all was read before they send the last words: so long is waited."""
    failures: Annotated[int, Field(ge=1)] = 3
    """So many in a row, and it is left alone for `pause_ms`."""
    pause_ms: _Milliseconds = 10_000

    def model(self, language: str) -> str:
        """The model that reads a language; "" for the local recogniser."""
        return (self.english if language == "en" else self.others) if self.url else ""


def complaints(ink: Ink) -> list[str]:
    """What is wrong with the table as a whole, a sentence each."""
    where = urlsplit(ink.url)
    if where.scheme == "http" and (where.hostname or "").endswith(".cartesia.ai"):
        return [f"ink.url = {ink.url!r}: callers' voices go there: write https"]
    return []
