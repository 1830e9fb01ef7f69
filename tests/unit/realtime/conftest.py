"""A caller's program at one end, a call that notes what is asked of it at the other."""

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from voiced.call.apart import Question
from voiced.call.news import News
from voiced.call.parts import Casting
from voiced.call.transcript import Who
from voiced.config.agent import Agent, Lines
from voiced.config.settings import TurnPace
from voiced.errors import Refused
from voiced.llm.model import Message
from voiced.realtime.client import Client
from voiced.words import Words

AGENT = Agent(
    name="desk",
    languages=("en",),
    prompt="You are the front desk.",
    lines={"en": Lines(greeting="Hello.", fallback="Sorry?", goodbye="Goodbye.")},
    voices={"en": "joe"},
)


@dataclass
class FakeCall:
    """Notes what the program wants."""

    name: str = "c4ll"
    casting: Casting = field(default_factory=lambda: Casting(AGENT, "en"))
    asked: list[str] = field(default_factory=list)
    stops: int = 0
    silent: list[bool] = field(default_factory=list)
    paces: list[TurnPace | None] = field(default_factory=list)
    hushed: list[bool] = field(default_factory=list)
    forgotten: list[tuple[int, Who]] = field(default_factory=list)
    clears: int = 0
    spoken_s: float = 1.0
    """Seconds of sound that are there to be committed."""
    commits: int = 0
    questions: list[Question] = field(default_factory=list)
    cancelled: list[int] = field(default_factory=list)
    said: list[Message] = field(default_factory=list)
    """The conversation so far."""
    waiting: set[str] = field(default_factory=set)
    """Calls of tools whose output is waited for."""
    outputs: list[str] = field(default_factory=list)

    @property
    def program(self) -> "FakeCall":
        return self

    def history(self) -> list[Message]:
        return self.said

    def ask(self, text: Words, *, silent: bool = False) -> None:
        self.asked.append(text.reveal())
        self.silent.append(silent)

    def hush(self, silent: bool) -> None:
        self.hushed.append(silent)

    def listen(self, pace: TurnPace | None) -> None:
        self.paces.append(pace)

    def forget(self, turn: int, who: Who) -> None:
        self.forgotten.append((turn, who))

    def clear(self) -> None:
        self.clears += 1

    def commit(self) -> tuple[int, float] | None:
        if self.spoken_s < 0.1:
            return None
        self.commits += 1
        return self.commits, self.spoken_s

    def ask_apart(self, question: Question) -> int:
        if self.questions:
            raise Refused(503, "full", "another one is being answered")
        self.questions.append(question)
        return 1

    def cancel_apart(self, number: int) -> None:
        self.cancelled.append(number)

    def stop(self) -> None:
        self.stops += 1

    def returned(self, call_id: str, output: Words) -> bool:
        waited = call_id in self.waiting
        self.waiting.discard(call_id)
        if waited:
            self.outputs.append(f"{call_id}:{output.reveal()}")
        return waited


class Line:
    """The data channel, as the program sees it."""

    def __init__(self, asked: dict[str, Any] | None = None) -> None:
        self.call = FakeCall()
        self.events: list[dict[str, Any]] = []
        self.client = Client(lambda text: self.events.append(json.loads(text)), self.call, asked)
        self.begun = [*self.events]

    def send(self, kind: str, **more: Any) -> list[dict[str, Any]]:
        """What the server answers to an event."""
        return self.raw(json.dumps({"type": kind, **more}))

    def raw(self, text: str) -> list[dict[str, Any]]:
        before = len(self.events)
        self.client.received(Words(text))
        return self.events[before:]

    def tell(self, *news: News) -> list[dict[str, Any]]:
        """What the server says of news."""
        before = len(self.events)
        for one in news:
            self.client.told(one)
        return self.events[before:]

    def write(self, text: str) -> list[dict[str, Any]]:
        content = [{"type": "input_text", "text": text}]
        item = {"type": "message", "role": "user", "content": content}
        return self.send("conversation.item.create", item=item)


def types(events: list[dict[str, Any]]) -> list[str]:
    return [event["type"] for event in events]


def errors(events: list[dict[str, Any]]) -> list[tuple[str, str | None]]:
    """Code and param of each error; nothing else may be among the events."""
    assert {"error"} >= {event["type"] for event in events}
    return [(event["error"]["code"], event["error"]["param"]) for event in events]


@pytest.fixture
def line() -> Line:
    return Line()
