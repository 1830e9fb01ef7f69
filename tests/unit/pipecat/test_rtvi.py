"""RTVI on the data channel: what happens is told, what is asked for is done or refused."""

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

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
from voiced.call.stopwatch import Leg
from voiced.pipecat.rtvi import Client
from voiced.turn.take import Take
from voiced.words import Words

pytestmark = pytest.mark.unit

FIRST = Take(1, 0)


@dataclass
class Line:
    """A program at one end, a call that notes what is asked of it at the other."""

    messages: list[dict[str, Any]] = field(default_factory=list)
    asked: list[tuple[str, bool]] = field(default_factory=list)
    outputs: list[tuple[str, str]] = field(default_factory=list)
    hung_up: int = 0

    def __post_init__(self) -> None:
        self.client = Client(lambda text: self.messages.append(json.loads(text)), self)

    def ask(self, text: Words, *, silent: bool = False) -> None:
        self.asked.append((text.reveal(), silent))

    def hang_up(self) -> None:
        self.hung_up += 1

    def returned(self, call_id: str, output: Words) -> bool:
        self.outputs.append((call_id, output.reveal()))
        return call_id == "call_1"

    def tell(self, *news: News) -> list[tuple[str, Any]]:
        before = len(self.messages)
        for one in news:
            self.client.told(one)
        return [(told["type"], told["data"]) for told in self.messages[before:]]

    def send(self, kind: str, data: Any = None) -> list[tuple[str, str]]:
        message = {"label": "rtvi-ai", "type": kind, "id": "mine", "data": data}
        return self.raw(json.dumps(message))

    def raw(self, text: str) -> list[tuple[str, str]]:
        before = len(self.messages)
        self.client.received(Words(text))
        return [(told["type"], told["id"]) for told in self.messages[before:]]


@pytest.fixture
def line() -> Line:
    return Line()


def test_a_client_that_is_ready_is_told_that_we_are(line: Line) -> None:
    assert [("bot-ready", "mine")] == line.send("client-ready", {"version": "1.0.0"})


def test_the_caller_s_turn_is_told(line: Line) -> None:
    told = line.tell(CallerSpoke(0), CallerPaused(16_000), CallerHeard(FIRST, Words("Hello?")))

    kinds = ["user-started-speaking", "user-stopped-speaking", "user-transcription"]
    assert kinds == [kind for kind, _ in told]
    assert ("Hello?", True) == (told[2][1]["text"], told[2][1]["final"])


def test_a_reply_is_told_once_it_may_be_heard(line: Line) -> None:
    assert [] == line.tell(ReplyGrew(FIRST, Words("Yes.")))
    told = line.tell(ReplyReleased(FIRST), ReplyStarted(FIRST), ReplyGrew(FIRST, Words("Do.")))
    told += line.tell(ReplyEnded(FIRST, Words("Yes."), cut=True, samples=1))

    assert [
        "bot-llm-text",
        "bot-transcription",
        "bot-started-speaking",
        "bot-llm-text",
        "bot-transcription",
        "bot-stopped-speaking",
    ] == [kind for kind, _ in told]


def test_a_reply_that_was_made_in_vain_is_never_told(line: Line) -> None:
    line.tell(ReplyGrew(FIRST, Words("Never.")))

    assert [] == line.tell(ReplyEnded(FIRST, Words(""), cut=True, samples=0))
    second = Take(1, 1)
    told = line.tell(ReplyGrew(second, Words("Yes.")), ReplyReleased(second))
    assert "Never." not in str(told)


def test_a_tool_is_asked_for_and_answered(line: Line) -> None:
    [(kind, asked)] = line.tell(ToolWanted(FIRST, "call_1", "show", Words('{"floor": 3}')))
    result = {"tool_call_id": "call_1", "result": {"shown": True}}

    assert ("llm-function-call", {"floor": 3}) == (kind, asked["args"])
    assert [] == line.send("llm-function-call-result", result)
    assert [("call_1", '{"shown": true}')] == line.outputs
    other = line.send("llm-function-call-result", {"tool_call_id": "other", "result": 1})
    assert [("error-response", "mine")] == other


def test_what_is_written_is_answered_aloud_or_not(line: Line) -> None:
    line.send("send-text", {"content": "Where do I park?"})
    line.send("send-text", {"content": "And now?", "options": {"audio_response": False}})

    assert [("Where do I park?", False), ("And now?", True)] == line.asked
    assert [("error", False)] == [(kind, data["fatal"]) for kind, data in line.tell(Declined())]


def test_the_legs_of_a_turn_are_metrics(line: Line) -> None:
    [(kind, data)] = line.tell(TurnEnded(1, Words(""), Words(""), {"stt": Leg(0.0, 80.0)}, "en"))

    assert ("metrics", [{"processor": "stt", "value": 0.08}]) == (kind, data["processing"])


def test_a_client_can_end_the_call(line: Line) -> None:
    line.send("disconnect-bot")

    assert 1 == line.hung_up


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("action", {}),
        ("update-config", {}),
        ("send-text", None),
        ("send-text", {"content": " "}),
        ("send-text", {"content": "a" * 4001}),
        ("send-text", {"content": "a", "options": {"run_immediately": False}}),
    ],
)
def test_what_is_not_done_here_is_refused_by_its_id(line: Line, kind: str, data: Any) -> None:
    assert [("error-response", "mine")] == line.send(kind, data)
    assert [] == line.asked


@pytest.mark.parametrize("text", ["ping: 1", '{"type": "signalling"}', "[]"])
def test_the_transport_s_own_is_passed_over(line: Line, text: str) -> None:
    assert [] == line.raw(text)


@pytest.mark.parametrize("text", ["{", r'{"label": "rtvi-ai", "id": "\ud800"}'])
def test_what_is_no_message_is_told(line: Line, text: str) -> None:
    assert [("error-response", "")] == line.raw(text)
