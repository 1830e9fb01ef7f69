"""The far end of a WebSocket that does not read, does not answer, or reads well; virtual time."""

import asyncio
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
import pytest
from aiohttp import WSMsgType, web

from voiced.flow.cancel import Live, Take
from voiced.flow.playout import Playout
from voiced.realtime.intake import Intake
from voiced.realtime.socket import SocketPeer
from voiced.rtc.facts import Closed, Connected, PeerFact
from voiced.testing import virtualtime

pytestmark = pytest.mark.unit

GREETING = Take(0, 0)


@dataclass
class Message:
    type: WSMsgType
    data: Any


@dataclass
class FarProgram:
    """A program at the other end; `reads` and `answers` say what it does of that."""

    reads: bool = True
    answers: bool = True
    sent: list[str] = field(default_factory=list)
    closed: bool = False
    incoming: "asyncio.Queue[Message]" = field(default_factory=asyncio.Queue)

    async def send_str(self, text: str) -> None:
        if not self.reads:
            await asyncio.Event().wait()
        self.sent.append(text)

    async def ping(self, stamp: bytes) -> None:
        if self.answers:
            await asyncio.sleep(0.04)
            self.incoming.put_nowait(Message(WSMsgType.PONG, stamp))

    async def pong(self, _stamp: bytes) -> None: ...

    async def close(self, *, code: int) -> None:
        self.closed = True

    async def __aiter__(self) -> AsyncIterator[Message]:
        while True:
            yield await self.incoming.get()


@dataclass
class Line:
    """The peer of a call whose greeting lasts a minute."""

    far: FarProgram
    told: list[tuple[float, PeerFact]] = field(default_factory=list)
    played_s: float = 0.0

    def open(self) -> SocketPeer:
        loop = asyncio.get_running_loop()
        live = Live()
        self.playout = Playout(live, lambda _played: None)
        self.playout.released = GREETING
        self.playout.write(GREETING, np.ones(59 * 24_000, np.int16))
        intake = Intake(loop.time)
        note = lambda fact: self.told.append((loop.time(), fact))  # noqa: E731
        peer = SocketPeer(
            cast(web.WebSocketResponse, self.far), intake, self.playout, note, loop.time
        )
        peer.sounded = lambda _take, pcm: self._sounded(peer, len(pcm))
        return peer

    def _sounded(self, peer: SocketPeer, samples: int) -> None:
        self.played_s += samples / 24_000
        peer.send("x" * 1_400)


def hold(far: FarProgram, script: Callable[[SocketPeer], Awaitable[None]]) -> Line:
    line = Line(far)

    async def main() -> None:
        peer = line.open()
        async with asyncio.TaskGroup() as tasks:
            serving = tasks.create_task(peer.serve(lambda _message: None))
            await script(peer)
            await peer.close()
            await serving
        peer.intake.close()
        line.playout.close()

    virtualtime.run(main())
    return line


def ends(line: Line) -> list[tuple[float, str]]:
    return [(at, fact.reason) for at, fact in line.told if isinstance(fact, Closed)]


def test_a_program_that_reads_and_answers_is_kept() -> None:
    async def script(peer: SocketPeer) -> None:
        await asyncio.sleep(50.0)
        assert 40.0 == pytest.approx(peer.network().rtt_ms, abs=1.0)

    line = hold(FarProgram(), script)

    assert [(50.0, "closed")] == [(round(at, 1), reason) for at, reason in ends(line)]
    assert isinstance(line.told[0][1], Connected)
    assert line.far.closed
    assert 50.2 == pytest.approx(line.played_s, abs=0.05)


def test_what_is_not_read_is_not_played_and_the_program_is_let_go() -> None:
    async def script(_peer: SocketPeer) -> None:
        await asyncio.sleep(30.0)

    line = hold(FarProgram(reads=False), script)

    assert [(10.0, "lost")] == [(round(at, 1), reason) for at, reason in ends(line)]
    assert line.played_s < 1.0


def test_a_program_that_is_not_heard_from_is_let_go() -> None:
    async def script(_peer: SocketPeer) -> None:
        await asyncio.sleep(40.0)

    line = hold(FarProgram(answers=False), script)

    [(at, reason)] = ends(line)
    assert ("lost", True) == (reason, 20.0 <= at <= 26.0)


def test_events_that_nobody_reads_are_bounded() -> None:
    async def script(peer: SocketPeer) -> None:
        for _ in range(300):
            peer.send("x" * 1_000)
        await asyncio.sleep(1.0)

    assert ["lost"] == [reason for _, reason in ends(hold(FarProgram(reads=False), script))]


def test_the_end_is_told_once() -> None:
    async def script(peer: SocketPeer) -> None:
        peer.end("hangup")
        peer.end("lost")
        peer.send("too late")
        await asyncio.sleep(1.0)

    line = hold(FarProgram(), script)

    assert ["hangup"] == [reason for _, reason in ends(line)]
    assert "too late" not in line.far.sent


def test_a_ping_of_the_program_s_is_answered_and_other_pongs_are_no_measure() -> None:
    async def script(peer: SocketPeer) -> None:
        far.incoming.put_nowait(Message(WSMsgType.PING, b"hello"))
        far.incoming.put_nowait(Message(WSMsgType.PONG, b"unasked"))
        far.incoming.put_nowait(Message(WSMsgType.PONG, struct.pack("!d", 1e12)))
        await asyncio.sleep(1.0)
        assert 0.0 == pytest.approx(peer.network().rtt_ms, abs=41.0)

    far = FarProgram()
    assert ["closed"] == [reason for _, reason in ends(hold(far, script))]
