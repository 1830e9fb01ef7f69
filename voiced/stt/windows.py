"""How much sound the encoder is given, and how many tokens may come out of it.

Whisper was trained on windows of 30 s; its encoder's cost grows with the window, and a caller's
turn lasts three. Shorter windows work where they were tried, a language at a time: without a second
of silence behind the utterance, or below some 8 s in all, the stock weights lose the thread.

Pure. It does not know the model.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from voiced.config.agent import Language
from voiced.errors import ConfigError

FULL_S = 30
"""The window that the model was trained on: always right, and slow."""

LONGEST_S = 28
"""Utterances longer than this are cut into pieces: the full window less a little padding."""

MOST_TOKENS = 224
"""Half of the model's text context: its own limit for one window."""

SPARE_S = 1
_SPARE_TOKENS = 8

_Window = Annotated[int, Field(ge=1, le=FULL_S)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Windows:
    """The facts of a Whisper model in the catalogue."""

    languages: tuple[Language, ...]
    """In which it may be used at all."""
    window_s: dict[Language, tuple[_Window, ...]]
    """Windows that were tried, shortest first, by language; without any: 30 s."""
    tokens_per_s: dict[Language, Annotated[int, Field(ge=1)]]
    """The most tokens in a second of speech, by language; without a number: no limit."""

    def choose(self, seconds: float, language: str) -> int:
        """Seconds of the shortest window that holds so much sound and enough padding."""
        tried = self.window_s.get(language, ())
        return next((window for window in tried if window >= seconds + SPARE_S), FULL_S)

    def limit(self, seconds: float, language: str) -> int:
        """Tokens that nobody exceeds in so many seconds: a decode that does has lost the thread."""
        pace = self.tokens_per_s.get(language)
        if pace is None:
            return MOST_TOKENS
        return min(math.ceil(pace * seconds) + _SPARE_TOKENS, MOST_TOKENS)


def read(facts: Mapping[str, Any]) -> Windows:
    """The facts, checked. Raises ConfigError."""
    try:
        json = TypeAdapter(dict[str, Any]).dump_json(dict(facts))
        return TypeAdapter(Windows).validate_json(json, strict=True, extra="forbid")
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ConfigError(
            f"catalog.toml: whisper: facts.{where} = {first['input']!r}: {first['msg']}"
        ) from None
