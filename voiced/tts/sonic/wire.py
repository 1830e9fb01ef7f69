"""Sonic's messages: requests out, closed events in. Pure.

What the server says about an error is not kept: it may quote the text that was to be spoken. It
does not know sockets, contexts' lives or deadlines.
"""

import base64
import binascii
import json
from dataclasses import dataclass
from typing import TypeAlias

from voiced.audio.pcm import SPEAKING_HZ
from voiced.cartesia import api
from voiced.cartesia.api import Garbled, Message
from voiced.config.sonic import Sonic, SonicVoice

_FORMAT = {"container": "raw", "encoding": "pcm_s16le", "sample_rate": SPEAKING_HZ}
"""The rate of all that is spoken, so nothing is resampled."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Sound, as raw bytes; may end in the middle of a sample."""

    context: str
    sound: bytes


@dataclass(frozen=True, slots=True)
class FlushDone:
    """All sound of a submission has been sent."""

    context: str


@dataclass(frozen=True, slots=True)
class Done:
    """All sound of a context has been sent, and it is closed."""

    context: str


@dataclass(frozen=True, slots=True)
class Trouble:
    """An error; one without a context is everybody's."""

    context: str | None
    reason: str
    """Static."""


Event: TypeAlias = Chunk | FlushDone | Done | Trouble


def manner(sonic: Sonic, voice: SonicVoice) -> Message:
    """The fields that stay the same for all submissions of a context."""
    guidance = {"speed": voice.speed, "volume": voice.volume, "emotion": voice.emotion or None}
    chosen = {key: value for key, value in guidance.items() if value is not None}
    fields: Message = {
        "model_id": sonic.model,
        "voice": {"mode": "id", "id": voice.id},
        "language": voice.locale or voice.language,
        "output_format": _FORMAT,
    }
    if chosen:
        fields["generation_config"] = chosen
    if voice.pronunciation:
        fields["pronunciation_dict_id"] = voice.pronunciation
    return fields


def submission(fields: Message, context: str, text: str) -> Message:
    """A clause. The server must not wait for more: it is whole, and by default it would wait."""
    return _context(fields, context, text, more=True)


def ending(fields: Message, context: str) -> Message:
    """Nothing more will come: the server answers Done behind the last sound."""
    return _context(fields, context, "", more=False)


def cancellation(context: str) -> Message:
    """Nobody wants the rest. What is being made comes all the same."""
    return {"context_id": context, "cancel": True}


def text(message: Message) -> str:
    """A message as it is sent."""
    return json.dumps(message, ensure_ascii=False)


def event(raw: str | bytes) -> Event | None:
    """A message of the server's; None for the kinds that mean nothing here. Raises Garbled."""
    message = api.message(raw)
    match message.get("type"):
        case "chunk":
            return Chunk(_name(message), _sound(message))
        case "flush_done":
            return FlushDone(_name(message))
        case "done":
            return Done(_name(message))
        case "error":
            return trouble(message)
        case str():
            return None
        case _:
            raise Garbled


def trouble(message: Message) -> Trouble:
    """Both shapes of an error, the old one with a sentence and the new one with a code."""
    context = message.get("context_id")
    reason = api.reason_of(api.status(message))
    return Trouble(context if isinstance(context, str) and context else None, reason)


def _context(fields: Message, context: str, text: str, *, more: bool) -> Message:
    own = {"context_id": context, "transcript": text, "continue": more, "max_buffer_delay_ms": 0}
    return {**fields, **own, "add_timestamps": False}


def _name(message: Message) -> str:
    name = message.get("context_id")
    if not isinstance(name, str):
        raise Garbled
    return name


def _sound(message: Message) -> bytes:
    sound = message.get("data")
    if not isinstance(sound, str):
        raise Garbled
    try:
        return base64.b64decode(sound, validate=True)
    except (binascii.Error, ValueError):
        raise Garbled from None
