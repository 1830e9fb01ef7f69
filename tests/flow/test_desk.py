"""Calls that come and go at the desk, with fake engines and a caller whose line is not real."""

import asyncio
from dataclasses import replace
from typing import Any, cast

import pytest

from tests.flow.test_call import AGENT, FIXED
from voiced.audit.entries import CallEnded, CallOpened
from voiced.call.call import Call
from voiced.call.desk import Desk
from voiced.call.residents import Residents
from voiced.call.roster import Access
from voiced.config.agent import Handoff
from voiced.config.settings import Rtc, Settings
from voiced.errors import Refused
from voiced.rtc.edge import Edge, Line
from voiced.rtc.facts import Closed, Connected, Reason
from voiced.testing import virtualtime
from voiced.testing.audit import FakeAudit
from voiced.testing.fakes import (
    FakeDetector,
    FakeLanguageModel,
    FakePeer,
    FakeSpeechToText,
    FakeVoice,
)
from voiced.words import Words

pytestmark = pytest.mark.flow

OPENING_S = 5.0


class SlowEdge:
    """Answers every offer after a while; its callers connect at once, and never hang up."""

    async def answer(self, _offer: str, line: Line) -> tuple[str, Any]:
        await asyncio.sleep(OPENING_S)
        line.told(Connected(asyncio.get_running_loop().time()))
        return "the answer", Caller()


class Caller(FakePeer):
    """Hears nothing and says nothing."""

    def send(self, text: str) -> None: ...

    async def close(self) -> None: ...


class Mute:
    """A caller's program that is told everything, and says nothing."""

    def __init__(self, _send: object, _call: object) -> None: ...

    def told(self, _news: object) -> None: ...

    def received(self, _text: object) -> None: ...


def residents() -> Residents:
    voice = FakeVoice()
    return Residents(
        agents={AGENT.name: AGENT},
        default_agent=AGENT.name,
        vad=FakeDetector(),
        stt=FakeSpeechToText([]),
        llm=FakeLanguageModel([]),
        voices={("fake", "en"): voice},
        lines={(AGENT.name, "en"): FIXED},
    )


def test_a_call_that_was_being_opened_when_the_patience_ended_leaves_as_well(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else the daemon would wait for it until the caller hangs up."""
    monkeypatch.setattr("voiced.call.desk.now", lambda: asyncio.get_running_loop().time())

    async def script() -> float:
        loop = asyncio.get_running_loop()
        desk = Desk(cast(Edge, SlowEdge()), Settings(), cast(Any, Mute))
        async with asyncio.TaskGroup() as calls:
            desk.open(residents(), calls)
            opening = calls.create_task(desk.answer("v=0", None))
            await asyncio.sleep(1.0)
            await asyncio.wait_for(desk.drain(0.5), 60.0)
            assert opening.done()
            with pytest.raises(Refused):
                await desk.answer("v=0", None)
        return loop.time()

    # the goodbye is never heard, since nobody asks for frames: it is cut after ten seconds
    assert OPENING_S + 10.0 == pytest.approx(virtualtime.run(script()), abs=1.0)


def test_when_the_card_is_lost_every_caller_is_told_and_nobody_holds_the_daemon_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By the line that was made at start: no engine could make another."""
    monkeypatch.setattr("voiced.call.desk.now", lambda: asyncio.get_running_loop().time())
    said: list[str] = []

    async def script() -> float:
        loop = asyncio.get_running_loop()
        desk = Desk(cast(Edge, SlowEdge()), Settings(), cast(Any, Mute))
        async with asyncio.TaskGroup() as calls:
            desk.open(residents(), calls)
            for _ in range(2):
                answered = await desk.answer("v=0", None)
                call = desk._roster.find(answered.call)
                call.tell = lambda news: said.append(type(news).__name__)
            await asyncio.sleep(20.0)
            before = loop.time()
            said.clear()
            await asyncio.wait_for(desk.lose(12.0), 60.0)
            with pytest.raises(Refused, match="no more calls"):
                await desk.answer("v=0", None)
            return loop.time() - before

    assert virtualtime.run(script()) <= 13.0
    assert 2 == said.count("ReplyReleased"), said


def test_a_desk_that_is_shut_waits_for_its_calls_and_can_open_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """However long they go on: an operator's drain cuts nobody."""
    monkeypatch.setattr("voiced.call.desk.now", lambda: asyncio.get_running_loop().time())

    async def script() -> None:
        desk = Desk(cast(Edge, SlowEdge()), Settings(), cast(Any, Mute))
        async with asyncio.TaskGroup() as calls:
            desk.open(residents(), calls)
            answered = await desk.answer("v=0", None)
            desk.shut()
            with pytest.raises(Refused, match="no more calls"):
                await desk.answer("v=0", None)
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(desk.empty(), 600.0)

            desk.reopen()
            another = await desk.answer("v=0", None)
            for call in (answered.call, another.call):
                desk.hang_up(call)
            await desk.empty()

    virtualtime.run(script())


def test_who_called_and_how_it_ended_is_in_the_audit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voiced.call.desk.now", lambda: asyncio.get_running_loop().time())
    monkeypatch.setattr("voiced.call.roster.now", lambda: asyncio.get_running_loop().time())
    audit = FakeAudit()

    async def script() -> str:
        desk = Desk(cast(Edge, SlowEdge()), Settings(), cast(Any, Mute), audit)
        async with asyncio.TaskGroup() as calls:
            desk.open(residents(), calls)
            access = Access("10.0.0.9", "key:ward-3")
            answered = await desk.answer("v=0", None, access=access)
            await asyncio.sleep(3.0)
            desk.hang_up(answered.call)
            await desk.empty()
        return answered.call

    call = virtualtime.run(script())
    assert [
        CallOpened(call, AGENT.name, "10.0.0.9", "key:ward-3"),
        CallEnded(call, "hangup", 3.0),
    ] == audit.entries


def test_a_hand_off_is_seen_and_acknowledged_whatever_has_been_reloaded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An operator who takes over a call need not know whether it is still open."""
    monkeypatch.setattr("voiced.call.desk.now", lambda: asyncio.get_running_loop().time())
    careful = replace(
        AGENT,
        red_flags={"en": ("chest pain",)},
        handoffs=(Handoff(kind="operator"), Handoff(kind="line", line="Dial nine.")),
    )
    house = replace(residents(), agents={careful.name: careful})

    async def script() -> list[str]:
        desk = Desk(cast(Edge, SlowEdge()), Settings(), cast(Any, Mute))
        with pytest.raises(Refused):
            desk.acknowledge("nobody")
        assert [] == desk.waiting()
        async with asyncio.TaskGroup() as calls:
            desk.open(house, calls)
            opened: list[Call] = []

            def present(send: object, call: Call) -> Any:
                opened.append(call)
                return Mute(send, call)

            answered = await desk.answer("v=0", None, present)
            await asyncio.sleep(1.0)
            opened[0].stop()
            opened[0].ask(Words("I have chest pains"))
            await asyncio.sleep(15.0)
            desk.hang_up(answered.call)
            desk.open(house, calls)
            (notice,) = desk.waiting()
            desk.acknowledge(notice["call"])
            await asyncio.sleep(1.0)
            with pytest.raises(Refused):
                desk.acknowledge(notice["call"])
            return [notice["reason"], notice["agent"]]

    assert ["red_flag", AGENT.name] == virtualtime.run(script())


class Broken(FakePeer):
    """A line that answers, and that nobody is ever connected on; told so by `Line`."""

    def send(self, text: str) -> None: ...

    async def close(self) -> None: ...


class QuickEdge:
    """Answers at once; nobody connects unless `connect` says so."""

    def __init__(self) -> None:
        self.lines: list[Line] = []

    async def answer(self, _offer: str, line: Line) -> tuple[str, Any]:
        self.lines.append(line)
        return "the answer", Broken()

    def connect(self, number: int) -> None:
        self.lines[number].told(Connected(asyncio.get_running_loop().time()))

    def close(self, number: int, reason: Reason) -> None:
        self.lines[number].told(Closed(asyncio.get_running_loop().time(), reason))


def at_the_desk(script: Any, settings: Settings | None = None) -> None:
    async def main() -> None:
        edge = QuickEdge()
        desk = Desk(cast(Edge, edge), settings or Settings(), cast(Any, Mute))
        async with asyncio.TaskGroup() as calls:
            desk.open(residents(), calls)
            await script(desk, edge)

    virtualtime.run(main())


def test_one_address_may_not_take_every_line_without_connecting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("voiced.call.desk.now", lambda: asyncio.get_running_loop().time())

    async def script(desk: Desk, edge: QuickEdge) -> None:
        for _ in range(2):
            await desk.answer("v=0", None, None, Access("192.0.2.7", "none"))
        with pytest.raises(Refused) as refused:
            await desk.answer("v=0", None, None, Access("192.0.2.7", "none"))
        await desk.answer("v=0", None, None, Access("192.0.2.8", "none"))
        edge.connect(0)
        await desk.answer("v=0", None, None, Access("192.0.2.7", "none"))

        assert (429, "half-open", 2) == (
            refused.value.status,
            refused.value.kind,
            refused.value.retry_after_s,
        )
        for number in range(4):
            edge.close(number, "hangup")
        await desk.empty()
        await desk.answer("v=0", None, None, Access("192.0.2.7", "none"))
        edge.close(4, "hangup")

    at_the_desk(script, Settings(rtc=Rtc(half_open_per_address=2)))


def test_a_call_goes_on_over_another_line_and_keeps_its_slot(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also while the daemon takes no new calls."""
    for name in ("desk", "handset"):
        monkeypatch.setattr(f"voiced.call.{name}.now", lambda: asyncio.get_running_loop().time())

    async def script(desk: Desk, edge: QuickEdge) -> None:
        first = await desk.answer("v=0", None)
        edge.connect(0)
        await asyncio.sleep(5.0)
        edge.close(0, "lost")
        await asyncio.sleep(50.0)
        assert 1 == desk.calls
        desk.shut()
        second = await desk.resume("v=0", first.token)
        edge.connect(1)
        with pytest.raises(Refused) as spent:
            await desk.resume("v=0", first.token)
        await asyncio.sleep(50.0)

        assert (first.call, 401) == (second.call, spent.value.status)
        assert first.token != second.token
        assert 1 == desk.calls
        edge.close(1, "hangup")
        await desk.empty()
        with pytest.raises(Refused):
            await desk.resume("v=0", second.token)

    at_the_desk(script)
