"""What a Realtime session is here, and which changes of it are granted. Pure.

A program may change who ends a turn and with which patience, and whether replies are spoken.
All else is as the agent's file says: it may say again what holds already, and leave out what it
likes; whatever else it asks for is refused by name, so that no program believes that it was heard.
It does not know where a refusal is told.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Any

from voiced.call.parts import Casting
from voiced.config.settings import TurnPace
from voiced.llm.tool_prompt import declared

Json = Mapping[str, Any]

_FORMATS = ("audio/pcm", "audio/pcmu", "audio/pcma")
_PCM = {"type": "audio/pcm", "rate": 24_000}
"""What stock programs expect to read; over WebRTC the line itself is Opus."""

_SEMANTIC = {
    "type": "semantic_vad",
    "eagerness": "auto",
    "create_response": True,
    "interrupt_response": True,
}
_SERVER = {
    "type": "server_vad",
    "threshold": 0.5,
    "prefix_padding_ms": 300,
    "silence_duration_ms": 500,
    "idle_timeout_ms": None,
    "create_response": True,
    "interrupt_response": True,
}
_DETECTIONS = {"semantic_vad": _SEMANTIC, "server_vad": _SERVER}
_EAGERNESS = ("low", "medium", "high", "auto")
_SHORTEST_SILENCE_MS = 100
"""The detector takes as long to notice one."""
_LONGEST_SILENCE_MS = 10_000
_LONGEST_NAME = 64


class Line(Enum):
    """How sound travels."""

    OWN = auto()  # over a line of its own, whatever the session says
    EVENTS = auto()  # in the program's events


class _Refused(Exception):
    """A change is not granted; the message says why."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A change that is not granted."""

    param: str
    """Its place, as `session.audio.output.voice`."""
    message: str


def present(casting: Casting, call: str) -> dict[str, Any]:
    """The session as `session.created` shows it; the agent's prompt is the site's, not shown."""
    agent, language = casting.agent, casting.language
    return {
        "type": "realtime",
        "object": "realtime.session",
        "id": f"sess_{call}",
        "model": agent.name,
        "instructions": "",
        "output_modalities": ["audio"],
        "max_output_tokens": agent.sampling.max_tokens,
        "tools": [
            {"type": "function", **one["function"]}
            for one in declared({tool.name: tool for tool in agent.tools if tool.kind == "client"})
        ],
        "tool_choice": "auto",
        "tracing": None,
        "truncation": "auto",
        "prompt": None,
        "include": None,
        "audio": {
            "input": {
                "format": _PCM,
                "transcription": {"model": "voiced", "language": language},
                "noise_reduction": None,
                "turn_detection": _SEMANTIC,
            },
            "output": {"format": _PCM, "voice": agent.voices[language], "speed": 1.0},
        },
    }


def changed(asked: Json, session: Json, line: Line) -> tuple[dict[str, Any], list[Refusal]]:
    """The session with what is granted of a change, and what is not."""
    refusals: list[Refusal] = []
    return _merged(asked, session, "session", line, refusals), refusals


def detection(session: Json) -> Json | None:
    """Who ends a turn; None: the program."""
    found: Json | None = session["audio"]["input"]["turn_detection"]
    return found


def patience(detection: Json | None, usual: TurnPace) -> TurnPace | None:
    """How long a pause is that ends a turn; None: none does."""
    match detection:
        case None:
            return None
        case {"type": "server_vad", "silence_duration_ms": int(silence_ms)}:
            return replace(usual, endpoint_delay_ms=silence_ms, endpoint_ceiling_ms=silence_ms)
        case {"eagerness": "low"}:
            delay_ms, ceiling_ms = usual.endpoint_delay_ms, usual.endpoint_ceiling_ms
            return replace(
                usual,
                endpoint_delay_ms=min(2 * delay_ms, _LONGEST_SILENCE_MS),
                endpoint_ceiling_ms=min(2 * ceiling_ms, _LONGEST_SILENCE_MS),
            )
        case {"eagerness": "high"}:
            ceiling_ms = max(usual.endpoint_ceiling_ms // 2, usual.endpoint_delay_ms)
            return replace(usual, endpoint_ceiling_ms=ceiling_ms)
        case _:
            return usual


def _merged(
    asked: Json, holds: Json, place: str, line: Line, refusals: list[Refusal]
) -> dict[str, Any]:
    merged = dict(holds)
    for key, value in asked.items():
        param = f"{place}.{key[:_LONGEST_NAME]}"
        try:
            if key not in holds:
                raise _Refused("there is no such setting here")
            inner = holds[key]
            if isinstance(value, Mapping) and isinstance(inner, Mapping) and _nested(param):
                merged[key] = _merged(value, inner, param, line, refusals)
            else:
                merged[key] = _granted(param, value, inner, line)
        except _Refused as refused:
            refusals.append(Refusal(param, str(refused)))
    return merged


def _granted(param: str, value: Any, holds: Any, line: Line) -> Any:
    """What holds from now on. Raises _Refused."""
    match param.removeprefix("session."):
        case "audio.input.turn_detection":
            return _detection(value)
        case "output_modalities" if value in (["audio"], ["text"]):
            return value
        case "model" | "audio.input.transcription.model" if isinstance(value, str):
            return holds  # it names what this server has one of
        case "audio.input.format" | "audio.output.format":
            return _format(value, holds, line)
        case _ if value == holds:
            return holds
        case _:
            raise _Refused("this is set by the agent's file and cannot be changed in a call")


def _format(value: object, holds: Any, line: Line) -> Any:
    """Over WebRTC the line is Opus whatever is said; over a WebSocket it is what it says."""
    known = isinstance(value, Mapping) and value.get("type") in _FORMATS
    if known and line is Line.OWN:
        return holds
    if value not in (_PCM, {"type": "audio/pcm"}):
        raise _Refused("sound over a WebSocket is audio/pcm at 24000")
    return holds


def _detection(value: object) -> dict[str, Any] | None:
    """The turn detection that is granted, with all that it means. Raises _Refused."""
    if value is None:
        return None
    if not isinstance(value, Mapping) or value.get("type") not in _DETECTIONS:
        raise _Refused("turn detection is null, server_vad or semantic_vad")
    usual = _DETECTIONS[value["type"]]
    for key, wish in value.items():
        if key not in usual:
            raise _Refused(f"{value['type']} has no {key[:_LONGEST_NAME]}")
        if key == "eagerness" and wish in _EAGERNESS:
            continue
        if key == "silence_duration_ms" and _milliseconds(wish):
            continue
        if wish != usual[key]:
            raise _Refused(f"{key}: only {json.dumps(usual[key])} is done here")
    return {**usual, **value}


def _milliseconds(value: object) -> bool:
    return type(value) is int and _SHORTEST_SILENCE_MS <= value <= _LONGEST_SILENCE_MS


def _nested(param: str) -> bool:
    return param.removeprefix("session.") in (
        "audio",
        "audio.input",
        "audio.output",
        "audio.input.transcription",
    )
