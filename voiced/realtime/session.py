"""What a Realtime session is here, and which changes of it are granted. Pure.

Everything is as the agent's file says. A program may say again what holds already, and may leave
out what it likes; whatever else it asks for is refused by name, so that no program believes that it
was heard. It does not know where a refusal is told.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from voiced.call.parts import Casting
from voiced.llm.tool_calls import declared

Json = Mapping[str, Any]

_FORMATS = ("audio/pcm", "audio/pcmu", "audio/pcma")
_LINE = {"type": "audio/pcm", "rate": 24_000}
"""What stock programs expect to read; the line itself is Opus, whatever stands here."""

_DETECTION = {
    "type": "semantic_vad",
    "eagerness": "auto",
    "create_response": True,
    "interrupt_response": True,
}


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
                "format": _LINE,
                "transcription": {"model": "voiced", "language": language},
                "noise_reduction": None,
                "turn_detection": _DETECTION,
            },
            "output": {"format": _LINE, "voice": agent.voices[language], "speed": 1.0},
        },
    }


def refusals(asked: Json, session: Json) -> list[Refusal]:
    """What of a `session` object is not granted; empty when all of it holds already."""
    return list(_differing(asked, session, "session"))


def _differing(asked: Json, holds: Json, place: str) -> Iterator[Refusal]:
    for key, value in asked.items():
        param = f"{place}.{key}"
        if key not in holds:
            yield Refusal(param, "there is no such setting here")
        elif _free(param, value):
            continue
        elif isinstance(value, Mapping) and isinstance(holds[key], Mapping):
            yield from _differing(value, holds[key], param)
        elif value != holds[key]:
            yield Refusal(param, "this is set by the agent's file and cannot be changed in a call")


def _free(param: str, value: object) -> bool:
    """Whether any value will do: it names what this server has one of, or what WebRTC decides."""
    match param.removeprefix("session."):
        case "model" | "audio.input.transcription.model":
            return isinstance(value, str)
        case "audio.input.format" | "audio.output.format":
            return isinstance(value, Mapping) and value.get("type") in _FORMATS
        case _:
            return False
