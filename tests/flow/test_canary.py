"""Whatever fails in a call, and however, the log has no word of it; every library at DEBUG.

The engines fail as the real ones might: with an exception that quotes what they were working on.
"""

import asyncio
import io
import logging
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, cast

import pytest

from tests.flow.test_call import AGENT, FIXED
from tests.flow.test_desk import Mute, SlowEdge
from voiced.audit.entries import values
from voiced.call.call import Call
from voiced.call.desk import Desk
from voiced.call.residents import Residents
from voiced.config.agent import Handoff, Tool
from voiced.config.settings import Settings
from voiced.errors import EngineFailed
from voiced.flow.cancel import Ticket
from voiced.ops import log, metrics
from voiced.rtc.edge import Edge
from voiced.testing import virtualtime
from voiced.testing.audit import FakeAudit
from voiced.testing.fakes import FakeDetector, FakeLanguageModel, FakeSpeechToText, FakeVoice
from voiced.tts.model import Sink, Spoken
from voiced.words import Words

pytestmark = pytest.mark.flow

CANARY = "zyxomycin"
SAID = f"I take {CANARY}, and have chest pains."
BOOKING = f'<tool_call>{{"name": "book", "arguments": {{"what": "{CANARY}"}}}}</tool_call>'


@dataclass
class QuotingVoice(FakeVoice):
    """Fails with what it was to say."""

    async def speak(self, clause: Words, sink: Sink, ticket: Ticket, *, first: bool) -> Spoken:
        raise ValueError(f"cannot say {clause.reveal()}")


class QuotingProgram(Mute):
    """A caller's program whose end of the channel fails at everything it is told."""

    def told(self, news: object) -> None:
        raise RuntimeError(f"{CANARY} {news!r}")


async def quoting_server(_tool: Tool, arguments: Words, _key: str, /) -> Words:
    raise RuntimeError(arguments.reveal())


@dataclass
class Case:
    """What goes wrong."""

    replies: list[Any] = field(default_factory=lambda: [f"Take {CANARY}."])
    voice: FakeVoice = field(default_factory=FakeVoice)
    hand: Any = quoting_server
    program: type[Mute] = Mute
    trace: str = ""
    """An event that the log must have."""


CASES = {
    "nothing": Case(trace="call.closed"),
    "the model quotes": Case([ValueError(f"bad token in {CANARY}")], trace="call.failed"),
    "the model fails": Case([EngineFailed("llm", "queue full")] * 3, trace="turn.failed"),
    "the voice quotes": Case(voice=QuotingVoice(), trace="call.failed"),
    "a server quotes": Case([BOOKING, "Done."], trace="call.failed"),
    "a tool is unknown": Case([BOOKING.replace("book", CANARY), "No."], trace="tool.ended"),
    "the program fails": Case(program=QuotingProgram, trace="call.failed"),
}


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    """The log, with every library let speak; all hooks are as they were when the test is over."""
    stream = io.StringIO()
    root, ours = logging.getLogger(), logging.getLogger("voiced")
    handlers, levels = list(root.handlers), (root.level, ours.level)
    hooks = (sys.excepthook, sys.unraisablehook, threading.excepthook, warnings.showwarning)
    raising = logging.raiseExceptions
    log.to(stream, logging.DEBUG)
    root.setLevel(logging.DEBUG)
    yield stream
    root.handlers[:] = handlers
    root.setLevel(levels[0])
    ours.setLevel(levels[1])
    sys.excepthook, sys.unraisablehook, threading.excepthook, warnings.showwarning = hooks
    logging.raiseExceptions = raising


def held(case: Case, audit: FakeAudit, said: Callable[[Call], None]) -> None:
    """A call at the desk in which something is said, and which ends by itself or is hung up."""
    tool = Tool(name="book", description="-", kind="http", url="http://beds.lan/")
    agent = replace(
        AGENT,
        tools=(tool,),
        red_flags={"en": ("chest pain",)} if case.trace == "call.closed" else {},
        handoffs=(Handoff(kind="line", line="Dial nine."),),
    )
    house = Residents(
        agents={agent.name: agent},
        default_agent=agent.name,
        vad=FakeDetector(),
        stt=FakeSpeechToText([]),
        llm=FakeLanguageModel(list(case.replies)),
        voices={("fake", "en"): case.voice},
        lines={(agent.name, "en"): FIXED},
        hand=case.hand,
    )

    async def script() -> None:
        desk = Desk(cast(Edge, SlowEdge()), Settings(), cast(Any, Mute), audit)
        async with asyncio.TaskGroup() as calls:
            desk.open(house, calls)
            opened: list[Call] = []

            def present(send: object, call: Call) -> Any:
                opened.append(call)
                return case.program(send, call)

            await desk.answer("v=0", None, present)
            await asyncio.sleep(1.0)
            said(opened[0])
            await asyncio.sleep(40.0)
            opened[0].hang_up()
            await desk.empty()

    virtualtime.run(script())


def speak(call: Call) -> None:
    call.stop()
    call.ask(Words(SAID))
    call.received(Words(CANARY))


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_no_failure_tells_what_was_said(
    case: Case,
    stream: io.StringIO,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("voiced.call.desk.now", lambda: asyncio.get_running_loop().time())
    audit = FakeAudit()
    held(case, audit, speak)

    printed = "".join(capsys.readouterr())
    told = [str(values(entry)) for entry in audit.entries]
    assert f'"{case.trace}"' in stream.getvalue(), "it did not go wrong: it proves nothing"
    places = [stream.getvalue(), printed, metrics.exposition().decode(), *told]
    assert [] == [text for text in places if CANARY in text]
