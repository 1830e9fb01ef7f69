"""A call's news as OpenAI Realtime server events: JSON text for the data channel `oai-events`.

Items and responses are named after turn and take, so that a client can tell which belong together.
`voiced.turn` is ours: the ledger of a turn. It does not know where the text is sent.
"""

import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

from voiced.audio.pcm import HEARING_HZ
from voiced.call.news import (
    CallerHeard,
    CallerPaused,
    CallerSpoke,
    News,
    ReplyEnded,
    ReplyGrew,
    Told,
    TurnEnded,
)
from voiced.turn.take import Take

Event = dict[str, Any]


def present(send: Callable[[str], None]) -> Told:
    """Tells a call's news to its caller; `send` takes one event's JSON text."""
    numbers = itertools.count(1)
    begun: set[Take] = set()

    def told(news: News) -> None:
        for event in _events(news, begun):
            send(json.dumps({"event_id": f"event_{next(numbers)}", **event}, ensure_ascii=False))

    return told


def _events(news: News, begun: set[Take]) -> Iterator[Event]:
    match news:
        case CallerSpoke(sample):
            yield {"type": "input_audio_buffer.speech_started", "audio_start_ms": _ms(sample)}
        case CallerPaused(sample):
            yield {"type": "input_audio_buffer.speech_stopped", "audio_end_ms": _ms(sample)}
        case CallerHeard(take, text):
            yield {"type": "input_audio_buffer.committed", "item_id": _item("in", take)}
            yield {
                "type": "conversation.item.input_audio_transcription.completed",
                "item_id": _item("in", take),
                "content_index": 0,
                "transcript": text.reveal(),
            }
        case ReplyGrew(take, clause):
            if take not in begun:
                begun.add(take)
                yield {"type": "response.created", "response": _response(take, "in_progress")}
            kind = "response.output_audio_transcript.delta"
            yield {"type": kind, **_place(take), "delta": clause.reveal()}
        case ReplyEnded(take, heard, cut):
            if cut:
                yield {"type": "output_audio_buffer.cleared", "response_id": _item("resp", take)}
            kind = "response.output_audio_transcript.done"
            yield {"type": kind, **_place(take), "transcript": heard.reveal()}
            status = "cancelled" if cut else "completed"
            yield {"type": "response.done", "response": _response(take, status)}
            begun.discard(take)
        case TurnEnded(turn, heard, reply, legs):
            yield {
                "type": "voiced.turn",
                "turn": turn,
                "heard": heard.reveal(),
                "reply": reply.reveal(),
                "legs": {name: _rounded(asdict(leg)) for name, leg in legs.items()},
            }


def _place(take: Take) -> Event:
    return {
        "response_id": _item("resp", take),
        "item_id": _item("out", take),
        "output_index": 0,
        "content_index": 0,
    }


def _response(take: Take, status: str) -> Event:
    return {"id": _item("resp", take), "object": "realtime.response", "status": status}


def _item(kind: str, take: Take) -> str:
    return f"{kind}_{take.turn}_{take.take}"


def _ms(sample: int) -> int:
    return sample * 1000 // HEARING_HZ


def _rounded(leg: dict[str, float]) -> dict[str, float]:
    return {name: round(ms, 1) for name, ms in leg.items()}
