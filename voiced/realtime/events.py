"""A call's news as OpenAI Realtime server events.

    released   response.created, output_item.added, content_part.added, transcript deltas
    started    output_audio_buffer.started
    cut        output_audio_buffer.cleared, conversation.item.truncated
    ended      the `done` of each of these, response.done last; then output_audio_buffer.stopped

A reply is told only once it is released: what was made in vain does not exist for the program. Its
end is told once, with the words that the caller heard. `voiced.turn` is ours: the ledger of a turn.
It does not know where the events are sent.
"""

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any, assert_never

from voiced.audio.pcm import HEARING_HZ, SPEAKING_HZ
from voiced.call.news import (
    CallerHeard,
    CallerPaused,
    CallerSpoke,
    Declined,
    News,
    ReplyEnded,
    ReplyGrew,
    ReplyReleased,
    ReplyStarted,
    ToolWanted,
    TurnEnded,
)
from voiced.config.settings import Budget
from voiced.turn.take import Take

Event = dict[str, Any]

_ITEMS_KEPT = 64
"""Items whose length is still known when a program asks to truncate one."""


@dataclass(slots=True)
class _Reply:
    """A take's reply, from its first clause to its end."""

    pieces: list[str] = field(default_factory=list)
    """Clauses that are not told yet."""
    released: bool = False
    told: int = 0
    """Clauses that were told."""
    started: bool = False


class Events:
    """What has been told of one call. Main loop only."""

    def __init__(self, call: str, budget: Budget) -> None:
        self.played_ms: OrderedDict[str, int] = OrderedDict()
        """By item of the agent's: how much of its sound the caller heard. Ended ones only."""
        self.stopping = False
        """The program has asked for silence: the next cut is its doing."""
        self._call = call
        self._budget = asdict(budget)
        self._replies: dict[Take, _Reply] = {}
        self._newest_item: str | None = None
        self._caller_items = 0
        self._spoke_at = 0
        self._spoken = 0
        self._tools = 0

    @property
    def active(self) -> str | None:
        """The item of the reply that is being told and has not ended."""
        live = [take for take, reply in self._replies.items() if reply.released]
        return _item(live[-1]) if live else None

    def of(self, news: News) -> Iterator[Event]:
        """The events that tell one piece of news."""
        match news:
            case CallerSpoke() | CallerPaused() | CallerHeard():
                yield from self._caller(news)
            case ReplyGrew(take, clause):
                reply = self._replies.setdefault(take, _Reply())
                reply.pieces.append(clause.reveal())
                yield from self._deltas(take, reply)
            case ReplyReleased(take):
                yield from self._released(take)
            case ReplyStarted(take):
                yield from self._started(take)
            case ReplyEnded():
                yield from self._ended(news)
            case ToolWanted(take):
                yield from self._wanted(news, take)
            case TurnEnded():
                yield self._ledger(news)
            case Declined():
                pass
            case _:
                assert_never(news)

    def sound(self, take: Take, audio: str) -> Event:
        """Sound of a reply that was released, where it goes over the program's own channel."""
        return {"type": "response.output_audio.delta", **_place(take), "delta": audio}

    def added(self, item: Event) -> Iterator[Event]:
        """An item has joined the conversation, whole or to be continued."""
        before, self._newest_item = self._newest_item, item["id"]
        yield {"type": "conversation.item.added", "previous_item_id": before, "item": item}
        if item["status"] == "completed":
            yield {"type": "conversation.item.done", "previous_item_id": before, "item": item}

    def _caller(self, news: CallerSpoke | CallerPaused | CallerHeard) -> Iterator[Event]:
        item_id = f"item_caller_{self._caller_items + 1}"
        kind = "input_audio_buffer"
        match news:
            case CallerSpoke(sample):
                self._spoke_at = sample
                started = {"audio_start_ms": _ms(sample), "item_id": item_id}
                yield {"type": f"{kind}.speech_started", **started}
            case CallerPaused(sample):
                self._spoken += max(sample - self._spoke_at, 0)
                stopped = {"audio_end_ms": _ms(sample), "item_id": item_id}
                yield {"type": f"{kind}.speech_stopped", **stopped}
            case CallerHeard(_, text):
                self._caller_items += 1
                yield from self._heard(item_id, text.reveal())

    def _heard(self, item_id: str, text: str) -> Iterator[Event]:
        before = self._newest_item
        committed = {"item_id": item_id, "previous_item_id": before}
        yield {"type": "input_audio_buffer.committed", **committed}
        content = [{"type": "input_audio", "transcript": text}]
        yield from self.added(_message(item_id, "user", content, "completed"))
        kind = "conversation.item.input_audio_transcription"
        place = {"item_id": item_id, "content_index": 0}
        yield {"type": f"{kind}.delta", **place, "delta": text}
        usage = {"type": "duration", "seconds": round(self._spoken / HEARING_HZ, 3)}
        self._spoken = 0
        yield {"type": f"{kind}.completed", **place, "transcript": text, "usage": usage}

    def _released(self, take: Take) -> Iterator[Event]:
        reply = self._replies.setdefault(take, _Reply())
        if reply.released:
            return
        reply.released = True
        self.stopping = False
        yield {"type": "response.created", "response": self._of(take, "in_progress", [])}
        item = _message(_item(take), "assistant", [], "in_progress")
        within = {"response_id": _response(take), "output_index": 0}
        yield {"type": "response.output_item.added", **within, "item": item}
        yield from self.added(item)
        part = {"type": "audio", "transcript": ""}
        yield {"type": "response.content_part.added", **_place(take), "part": part}
        yield from self._deltas(take, reply)

    def _wanted(self, news: ToolWanted, take: Take) -> Iterator[Event]:
        """A call of a tool that the program has: an item of its own, whole at once."""
        self._tools += 1
        item = {
            "id": f"item_{news.call_id}",
            "object": "realtime.item",
            "type": "function_call",
            "status": "completed",
            "call_id": news.call_id,
            "name": news.name,
            "arguments": news.arguments.reveal(),
        }
        within = {"response_id": _response(take), "output_index": self._tools}
        yield {"type": "response.output_item.added", **within, "item": item}
        yield from self.added(item)
        said = {"call_id": news.call_id, "name": news.name, "arguments": item["arguments"]}
        kind = "response.function_call_arguments.done"
        yield {"type": kind, **within, "item_id": item["id"], **said}
        yield {"type": "response.output_item.done", **within, "item": item}

    def _started(self, take: Take) -> Iterator[Event]:
        reply = self._replies.get(take)
        if reply is not None and not reply.started:
            reply.started = True
            yield {"type": "output_audio_buffer.started", "response_id": _response(take)}

    def _deltas(self, take: Take, reply: _Reply) -> Iterator[Event]:
        """Clauses that may be told; put together, they are the transcript."""
        if not reply.released:
            return
        for piece in reply.pieces:
            delta = f" {piece}" if reply.told else piece
            reply.told += 1
            kind = "response.output_audio_transcript.delta"
            yield {"type": kind, **_place(take), "delta": delta}
        reply.pieces.clear()

    def _ended(self, news: ReplyEnded) -> Iterator[Event]:
        take, text = news.take, news.heard.reveal()
        reply = self._replies.pop(take, None)
        if reply is None or not reply.released:
            return
        self._keep(take, news.samples)
        if news.cut and reply.started:
            yield {"type": "output_audio_buffer.cleared", "response_id": _response(take)}
            cut = {"item_id": _item(take), "content_index": 0}
            ms = self.played_ms[_item(take)]
            yield {"type": "conversation.item.truncated", **cut, "audio_end_ms": ms}
        yield {"type": "response.output_audio.done", **_place(take)}
        kind = "response.output_audio_transcript.done"
        yield {"type": kind, **_place(take), "transcript": text}
        part = {"type": "audio", "transcript": text}
        yield {"type": "response.content_part.done", **_place(take), "part": part}
        yield from self._item_done(take, text, cut=news.cut)
        if reply.started and not news.cut:
            yield {"type": "output_audio_buffer.stopped", "response_id": _response(take)}

    def _item_done(self, take: Take, text: str, *, cut: bool) -> Iterator[Event]:
        content = [{"type": "output_audio", "transcript": text}]
        status = "incomplete" if cut else "completed"
        item = _message(_item(take), "assistant", content, status)
        within = {"response_id": _response(take), "output_index": 0}
        yield {"type": "response.output_item.done", **within, "item": item}
        yield {"type": "conversation.item.done", "item": item}
        status = "cancelled" if cut else "completed"
        yield {"type": "response.done", "response": self._of(take, status, [item])}

    def _of(self, take: Take, status: str, output: list[Event]) -> Event:
        reason = "client_cancelled" if self.stopping else "turn_detected"
        details = {"type": "cancelled", "reason": reason} if status == "cancelled" else None
        return {
            "object": "realtime.response",
            "id": _response(take),
            "conversation_id": f"conv_{self._call}",
            "status": status,
            "status_details": details,
            "output": output,
            "output_modalities": ["audio"],
            "usage": None,
            "metadata": None,
        }

    def _keep(self, take: Take, samples: int) -> None:
        self.played_ms[_item(take)] = samples * 1000 // SPEAKING_HZ
        while len(self.played_ms) > _ITEMS_KEPT:
            self.played_ms.popitem(last=False)

    def _ledger(self, news: TurnEnded) -> Event:
        legs = {
            name: {key: round(ms, 1) for key, ms in asdict(leg).items()}
            for name, leg in news.legs.items()
        }
        return {
            "type": "voiced.turn",
            "turn": news.turn,
            "heard": news.heard.reveal(),
            "reply": news.reply.reveal(),
            "legs": legs,
            "budget": self._budget,
        }


def _message(item_id: str, role: str, content: list[Event], status: str) -> Event:
    return {
        "id": item_id,
        "object": "realtime.item",
        "type": "message",
        "status": status,
        "role": role,
        "content": content,
    }


def _place(take: Take) -> Event:
    return {
        "response_id": _response(take),
        "item_id": _item(take),
        "output_index": 0,
        "content_index": 0,
    }


def _response(take: Take) -> str:
    return f"resp_{take.turn}_{take.take}"


def _item(take: Take) -> str:
    return f"item_agent_{take.turn}_{take.take}"


def _ms(sample: int) -> int:
    return sample * 1000 // HEARING_HZ
