"""A daemon's desk and door on a free port, with fake engines: for callers over a WebSocket."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web

from tests.flow.test_call import AGENT, FIXED
from voiced.call.desk import Desk
from voiced.call.residents import Residents
from voiced.config.settings import Calls, Settings
from voiced.ops.health import Health
from voiced.realtime.client import Client
from voiced.realtime.routes import routes
from voiced.rtc.edge import Edge
from voiced.testing.fakes import (
    FakeDetector,
    FakeLanguageModel,
    FakeSpeechToText,
    FakeVoice,
)
from voiced.vad.model import SpeechBegan, SpeechEnded, Verdict
from voiced.web.app import application
from voiced.web.door import Door
from voiced.web.keys import Keys, plain
from voiced.web.passes import Passes

TOKEN = "a-token-of-the-site"


class Listener(FakeDetector):
    """Knows what each call's ring holds, and tells what it is told to tell."""

    def __init__(self) -> None:
        super().__init__()
        self.sources: dict[str, object] = {}

    def attach(self, call: str, source: object, told: object) -> None:
        super().attach(call, source, told)  # type: ignore[arg-type]
        self.sources[call] = source

    def tell(self, verdict: Verdict) -> None:
        """A verdict on the one call that there is."""
        [told] = self.told.values()
        told(verdict)

    def spoke(self, at: float, begin: int, end: int) -> None:
        """The caller spoke in these samples, and has paused at an instant."""
        self.tell(SpeechBegan(at, begin))
        self.tell(SpeechEnded(at, end, (end - begin) / 16_000))


@dataclass
class Site:
    """Where callers call, and what answers them."""

    vad: Listener = field(default_factory=Listener)
    stt: FakeSpeechToText = field(default_factory=lambda: FakeSpeechToText([]))
    llm: FakeLanguageModel = field(default_factory=lambda: FakeLanguageModel([]))
    most: int = 4
    token: bool = False
    agent: object = AGENT
    passes: Passes = field(default_factory=lambda: Passes(bytes(32)))
    desk: Desk = field(init=False)
    url: str = ""

    @property
    def residents(self) -> Residents:
        agents = {AGENT.name: self.agent}
        lines = {(AGENT.name, "en"): FIXED}
        voices = {("fake", "en"): FakeVoice()}
        return Residents(agents, AGENT.name, self.vad, self.stt, self.llm, voices, lines)  # type: ignore[arg-type]


@asynccontextmanager
async def serving(site: Site) -> AsyncIterator[Site]:
    """Answers until the end."""
    site.desk = Desk(Edge.__new__(Edge), Settings(calls=Calls(max=site.most)), Client)
    keys = Keys([plain(TOKEN.encode())]) if site.token else None
    door = Door(keys, site.passes)
    app = application(Health(), door, routes(site.desk, site.passes))
    runner = web.AppRunner(app, shutdown_timeout=1.0)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        site.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        async with asyncio.TaskGroup() as calls:
            site.desk.open(site.residents, calls)
            yield site
            await site.desk.drain(0.0)
    finally:
        await runner.cleanup()
