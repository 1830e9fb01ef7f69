"""The caller over real HTTP: a token, an answer, a Location, a way to hang up."""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from aiohttp import web

from voiced.audio.pcm import SPEAKING_HZ
from voiced.config.settings import Rtc
from voiced.errors import UnavailableError
from voiced.flow.cancel import Live, Take
from voiced.flow.playout import Playout
from voiced.rtc.edge import Edge, Line
from voiced.rtc.inbound import Inbound
from voiced.testing.caller import Caller
from voiced.testing.script import converse

pytestmark = pytest.mark.process


class Server:
    """The two HTTP shapes on an edge; every call is answered by the same tone."""

    def __init__(self, edge: Edge) -> None:
        self.edge = edge
        self.live = Live()
        self.inbound = Inbound()
        self.playout = Playout(self.live, lambda _played: None)
        self.requests: list[str] = []
        self.tokens: set[str | None] = set()

    async def answer(self, request: web.Request) -> web.Response:
        self._note(request)
        if request.query.get("full"):
            return web.json_response({"type": "full"}, status=503)
        line = Line(self.inbound, self.playout, lambda _fact: None)
        text, _ = await self.edge.answer(await request.text(), line)
        headers = {"Location": request.path + "/c1"}
        return web.Response(status=201, text=text, content_type="application/sdp", headers=headers)

    async def hang_up(self, request: web.Request) -> web.Response:
        self._note(request)
        return web.Response()

    def speak(self, seconds: float) -> None:
        at = np.arange(int(seconds * SPEAKING_HZ)) / SPEAKING_HZ
        tone = (8000 * np.sin(2 * np.pi * 660 * at)).astype(np.int16)
        take = Take(self.live.take.turn + 1, 0)
        self.live.take = self.playout.released = take
        self.playout.write(take, tone)
        self.playout.complete = take

    def _note(self, request: web.Request) -> None:
        self.requests.append(f"{request.method} {request.path}")
        self.tokens.add(request.headers.get("Authorization"))


def served(main: Callable[[Server, str], Coroutine[Any, Any, None]]) -> None:
    async def opened() -> None:
        edge = await Edge.open(Rtc(port=0))
        server = Server(edge)
        app = web.Application()
        for path, way in (("/v1/realtime/calls", "POST"), ("/whip", "DELETE")):
            app.router.add_post(path, server.answer)
            end = "/c1/hangup" if way == "POST" else "/c1"
            app.router.add_route(way, path + end, server.hang_up)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        try:
            await main(server, f"http://127.0.0.1:{runner.addresses[0][1]}")
        finally:
            await runner.cleanup()
            await edge.close(2.0)
            server.inbound.close()
            server.playout.close()

    asyncio.run(opened())


def recording(path: Path) -> Path:
    at = np.arange(8000) / 16000
    voice = 0.3 * np.sin(2 * np.pi * 300 * at)
    soundfile.write(path, np.concatenate([np.zeros(1600), voice, np.zeros(1600)]), 16000)
    return path


@pytest.mark.parametrize(
    ("path", "end"),
    [
        ("", "POST /v1/realtime/calls/c1/hangup"),
        ("/", "POST /v1/realtime/calls/c1/hangup"),
        ("/whip", "DELETE /whip/c1"),
    ],
)
def test_a_call_is_opened_with_a_token_and_ended_as_its_shape_asks(path: str, end: str) -> None:
    async def main(server: Server, url: str) -> None:
        caller = Caller(url + path, token="secret")
        await caller.open()
        await caller.close()
        await caller.close()

        assert [f"POST {path if len(path) > 1 else '/v1/realtime/calls'}", end] == server.requests
        assert {"Bearer secret"} == server.tokens

    served(main)


def test_a_conversation_waits_for_greeting_and_reply_and_measures_it(tmp_path: Path) -> None:
    async def main(server: Server, url: str) -> None:
        caller = Caller(url)

        async def agent() -> None:
            await until(lambda: caller.connected_at > 0.0)
            server.speak(0.4)
            await until(lambda: voice_is_over(server))
            await asyncio.sleep(0.3)
            server.speak(0.4)

        replying = asyncio.ensure_future(agent())
        report = await converse(caller, [recording(tmp_path / "a.wav")])
        await replying
        caller.record(tmp_path / "r.wav")

        turn = report.turns[0]
        assert turn.voice_to_voice_ms is not None
        assert 300 < turn.voice_to_voice_ms < 1200
        assert (False, "", "", {}) == (turn.early, turn.heard, turn.reply, turn.legs)
        assert soundfile.info(tmp_path / "r.wav").duration > 1.5

    served(main)


async def until(come_true: Callable[[], bool]) -> None:
    while not come_true():  # noqa: ASYNC110 - what the daemon's other threads do has no event
        await asyncio.sleep(0.01)


def voice_is_over(server: Server) -> bool:
    """Sound was there, and then 100 ms without."""
    ring = server.inbound.ring
    heard = np.abs(ring.copy(0, ring.written))
    loud = np.flatnonzero(heard > 1000)
    return len(loud) > 0 and len(heard) - loud[-1] > 1600


def test_a_daemon_that_is_full_or_not_there_says_so() -> None:
    async def main(server: Server, url: str) -> None:
        with pytest.raises(UnavailableError, match=r"503: .*full"):
            await Caller(url + "/whip?full=1").open()
        with pytest.raises(UnavailableError, match="nobody answers there"):
            await Caller("http://127.0.0.1:9/whip").open()
        with pytest.raises(UnavailableError, match="write http"):
            Caller("127.0.0.1")

    served(main)
