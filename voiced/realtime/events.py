"""A call's news as OpenAI Realtime server events: the caller's turns, items, the agent's replies.

Two are ours: `voiced.turn`, the ledger of a turn, and `voiced.person`, whether one has joined.
It does not know where the events are sent, nor how a reply becomes responses (`responses`).
"""

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import asdict
from typing import assert_never

from voiced.audio.pcm import HEARING_HZ
from voiced.call.news import (
    ApartEnded,
    ApartGrew,
    CallerDictated,
    CallerHeard,
    CallerPaused,
    CallerSpoke,
    Declined,
    News,
    PersonJoined,
    PersonLeft,
    ReplyEnded,
    ReplyGrew,
    ReplyReleased,
    ReplyStarted,
    ToolsWanted,
    ToolWanted,
    TurnEnded,
)
from voiced.call.transcript import Who
from voiced.config.settings import Budget
from voiced.realtime.responses import Event, Responses
from voiced.words import Words

__all__ = ["Event", "Events"]

_ITEMS_KEPT = 256
"""Items that a program may still ask for by name."""

_TRANSCRIPTION = "conversation.item.input_audio_transcription"


class Events:
    """What has been told of one call. Main loop only."""

    def __init__(self, call: str, budget: Budget) -> None:
        self.responses = Responses(call, self.added)
        self.items: OrderedDict[str, Event] = OrderedDict()
        """Those of the conversation, as they were told last."""
        self._budget = asdict(budget)
        self._turns: dict[str, tuple[int, Who]] = {}
        self._newest_item: str | None = None
        self._caller_items = 0
        self._spoke_at = 0
        self._spoken = 0

    def of(self, news: News) -> Iterator[Event]:
        """The events that tell one piece of news."""
        match news:
            case CallerSpoke() | CallerPaused() | CallerHeard():
                yield from self._caller(news)
            case ReplyGrew() | ReplyReleased() | ReplyStarted() | ReplyEnded():
                yield from self._kept(self._reply(news))
            case ToolWanted():
                yield from self.responses.wanted(news)
            case ToolsWanted():
                yield from self._kept(self.responses.parted(news))
            case TurnEnded():
                yield self._ledger(news)
            case PersonJoined() | PersonLeft():
                yield {"type": "voiced.person", "joined": isinstance(news, PersonJoined)}
            case Declined() | CallerDictated() | ApartGrew() | ApartEnded():
                pass  # told by whoever asked
            case _:
                assert_never(news)

    def added(self, item: Event) -> Iterator[Event]:
        """An item has joined the conversation, whole or to be continued."""
        before, self._newest_item = self._newest_item, item["id"]
        self._keep(item)
        yield {"type": "conversation.item.added", "previous_item_id": before, "item": item}
        if item["status"] == "completed":
            yield {"type": "conversation.item.done", "previous_item_id": before, "item": item}

    def committed(self) -> tuple[str, list[Event]]:
        """The program has ended a turn of the caller's: its item, whose words are not known yet."""
        item_id = self._next_caller_item()
        self._caller_items += 1
        return item_id, list(self._committed(item_id, None))

    def read(self, item_id: str, text: Words | None, seconds: float) -> Iterator[Event]:
        """What the caller said in an item; None: it could not be read."""
        if text is None:
            error = {
                "type": "server_error",
                "code": "transcription_failed",
                "message": "the recogniser did not read this item",
                "param": None,
            }
            place = {"item_id": item_id, "content_index": 0}
            yield {"type": f"{_TRANSCRIPTION}.failed", **place, "error": error}
            return
        if item_id in self.items:
            self.items[item_id]["content"][0]["transcript"] = text.reveal()
        yield from _read(item_id, text.reveal(), seconds)

    def turn_of(self, item_id: str) -> tuple[int, Who] | None:
        """In which turn an item was said, and by whom."""
        if item_id in self.responses.turns:
            return self.responses.turns[item_id], Who.AGENT
        return self._turns.get(item_id)

    def wrote(self, item_ids: list[str], turn: int) -> None:
        """What the program wrote became part of a turn."""
        self._turns.update((item_id, (turn, Who.WRITER)) for item_id in item_ids)

    def _reply(
        self, news: ReplyGrew | ReplyReleased | ReplyStarted | ReplyEnded
    ) -> Iterator[Event]:
        match news:
            case ReplyGrew():
                return self.responses.grew(news)
            case ReplyReleased():
                return self.responses.released(news)
            case ReplyStarted(take):
                return self.responses.started(take)
            case ReplyEnded():
                return self.responses.ended(news)

    def _kept(self, events: Iterator[Event]) -> Iterator[Event]:
        """Items that are done are kept as they are then."""
        for event in events:
            if event["type"] == "conversation.item.done":
                self._keep(event["item"])
            yield event

    def _keep(self, item: Event) -> None:
        self.items[item["id"]] = item
        while len(self.items) > _ITEMS_KEPT:
            item_id, _ = self.items.popitem(last=False)
            self._turns.pop(item_id, None)

    def _next_caller_item(self) -> str:
        return f"item_caller_{self._caller_items + 1}"

    def _caller(self, news: CallerSpoke | CallerPaused | CallerHeard) -> Iterator[Event]:
        item_id = self._next_caller_item()
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
            case CallerHeard(take, text):
                self._caller_items += 1
                self._turns[item_id] = (take.turn, Who.CALLER)
                yield from self._committed(item_id, text.reveal())
                yield from _read(item_id, text.reveal(), self._spoken / HEARING_HZ)
                self._spoken = 0

    def _committed(self, item_id: str, text: str | None) -> Iterator[Event]:
        committed = {"item_id": item_id, "previous_item_id": self._newest_item}
        yield {"type": "input_audio_buffer.committed", **committed}
        content = [{"type": "input_audio", "transcript": text}]
        yield from self.added(
            {
                "id": item_id,
                "object": "realtime.item",
                "type": "message",
                "status": "completed",
                "role": "user",
                "content": content,
            }
        )

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
            "language": news.language,
            "legs": legs,
            "budget": self._budget,
        }


def _read(item_id: str, text: str, seconds: float) -> Iterator[Event]:
    place = {"item_id": item_id, "content_index": 0}
    yield {"type": f"{_TRANSCRIPTION}.delta", **place, "delta": text}
    usage = {"type": "duration", "seconds": round(seconds, 3)}
    yield {"type": f"{_TRANSCRIPTION}.completed", **place, "transcript": text, "usage": usage}


def _ms(sample: int) -> int:
    return sample * 1000 // HEARING_HZ
