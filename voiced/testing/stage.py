"""A whole call on virtual time: fake engines, a scripted caller, and all that the caller hears.

What is fake is what costs time or hardware: models, detector, network. Turn machine, transcript,
playout and hand-offs are the real ones. It does not know what a script should lead to.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime

import numpy as np

from voiced.audio.pcm import FRAME_S
from voiced.audit.model import NOWHERE, Audit
from voiced.call.call import Call
from voiced.call.extension import Extension
from voiced.call.grounding import sources_of
from voiced.call.handoff import HandOffs
from voiced.call.keeping import Keeping, keeping_of
from voiced.call.news import News, ToolWanted, TurnEnded
from voiced.call.parts import Casting, Engines, Tongue
from voiced.call.strain import Strain
from voiced.call.tools import Hand, nobody
from voiced.call.wires import INBOX, Message, Wires, needed
from voiced.config.agent import Agent
from voiced.config.settings import Settings
from voiced.flow.cancel import Live
from voiced.flow.lane import Lane
from voiced.flow.playout import Playout
from voiced.rtc.facts import Closed, Connected
from voiced.stt.model import Partials, SpeechToText
from voiced.testing import virtualtime
from voiced.testing.fakes import (
    FakeDetector,
    FakeLanguageModel,
    FakePeer,
    FakePerson,
    FakePost,
    FakeSource,
    FakeSpeechToText,
    FakeVoice,
)
from voiced.tts.fixed import FixedLine
from voiced.tts.model import Voice
from voiced.turn.facts import Fact
from voiced.turn.machine import NoRow
from voiced.turn.orders import Line, Order
from voiced.vault.model import Safe
from voiced.words import Words

NAME = "c"

TODAY = datetime(2026, 1, 5, 9, 7, tzinfo=UTC)
"""The site's date and time in every call."""

Program = Callable[[str], Awaitable[Words]]
"""Runs the tool of that name, and returns what came of it."""


NOTICED_S, MISSED_S = 0.064, 0.096
"""How late a detector tells that speech began, and that it ended."""


@dataclass
class Stage:
    """A call that `hold` opens, connects, and hangs up. Everything on one loop."""

    agent: Agent
    lines: Mapping[Line, FixedLine]
    stt: SpeechToText = field(default_factory=lambda: FakeSpeechToText([]))
    partials: Partials | None = None
    llm: FakeLanguageModel = field(default_factory=lambda: FakeLanguageModel([]))
    voice: Voice = field(default_factory=FakeVoice)
    source: FakeSource = field(default_factory=FakeSource)
    post: FakePost = field(default_factory=FakePost)
    strain: Strain = field(default_factory=Strain)
    hand: Hand = nobody
    safe: Safe | None = None
    """Where the call is kept, for an agent that asks for it."""
    program: Program | None = None
    """What the caller's program does when it is to run a tool; none: a script does it."""
    language: str = ""
    """In which the call begins; none: the agent's first."""
    tongues: Mapping[str, Tongue] = field(default_factory=dict)
    """Of the agent's other languages."""
    settings: Settings = field(default_factory=Settings)
    vad: FakeDetector = field(default_factory=FakeDetector)
    peer: FakePeer = field(default_factory=FakePeer)
    person: FakePerson = field(default_factory=FakePerson)
    """Whoever may join."""
    audit: Audit = NOWHERE

    levels: list[tuple[float, int]] = field(default_factory=list)
    """For each frame when it left, and how loud it was."""
    news: list[News] = field(default_factory=list)
    decisions: list[tuple[float, Fact, list[Order]]] = field(default_factory=list)
    """What the turn machine was told, when, and what it ordered."""
    unexpected: list[str] = field(default_factory=list)
    """Facts that had no row."""
    ended: str = ""
    """Why the call ended, once it has."""
    ended_at: float | None = None

    live: Live = field(init=False)
    _over: asyncio.Event = field(init=False)
    inbox: Lane[Message] = field(init=False)
    playout: Playout = field(init=False)
    hand_offs: HandOffs = field(init=False)
    extension: Extension = field(init=False)
    call: Call = field(init=False)
    keeping: Keeping | None = None

    def open(self, tasks: asyncio.TaskGroup) -> None:
        """Makes the call; hand-offs are tasks of the group. On the loop that holds it."""
        self.live = Live()
        self._over = asyncio.Event()
        self.inbox = Lane(INBOX, needed)
        self.playout = Playout(self.live, self.inbox.put)
        slot = self.llm.open(self.agent, NAME)
        engines = Engines(
            self.vad,
            self.stt,
            slot,
            self.partials,
            self.strain,
            wall=lambda: TODAY,
            hand=self.hand,
            opens=lambda agent: self.llm.open(agent, NAME),
        )
        self.hand_offs = HandOffs(tasks, self.post)
        language = self.language or self.agent.languages[0]
        own = Tongue(self.voice, self.lines, sources_of(self.agent, language))
        casting = Casting(self.agent, language, {language: own, **self.tongues})
        self.keeping = keeping_of(NAME, casting, self.safe)
        if self.keeping is not None:
            self.playout.tap = self.keeping.tap
            tasks.create_task(self.keeping.run())
        put = self.inbox.put
        self.extension = Extension(NAME, self.person, self.source, self.playout, put, self.audit)
        wires = Wires(
            self.inbox,
            self.source,
            self.playout,
            self.live,
            self.hand_offs,
            self.extension,
            self.keeping,
        )
        self.call = Call(NAME, casting, engines, wires, self.settings, self.now)
        self.call.tell = lambda news: self._told(news, tasks)
        self.call.decided = self._decided

    def _decided(self, fact: Fact, orders: list[Order] | NoRow) -> None:
        if isinstance(orders, NoRow):
            self.unexpected.append(str(orders))
        else:
            self.decisions.append((self.now(), fact, orders))

    def _told(self, news: News, tasks: asyncio.TaskGroup) -> None:
        self.news.append(news)
        if isinstance(news, ToolWanted) and self.program is not None:
            tasks.create_task(self._run(self.program, news))

    async def _run(self, program: Program, wanted: ToolWanted) -> None:
        self.call.returned(wanted.call_id, await program(wanted.name))

    def acknowledge(self) -> None:
        """An operator takes the call over."""
        self.hand_offs.acknowledge(NAME)

    async def join(self) -> None:
        """A person joins the call, and is connected."""
        await self.extension.answer("offer", "key:nurses")
        self.person.connect()

    def now(self) -> float:
        """Seconds since the loop was made."""
        return asyncio.get_running_loop().time()

    async def live_on(self) -> None:
        """The call itself, to its end."""
        self.ended = await self.call.run(self.peer)
        self.ended_at = self.now()
        self._over.set()

    async def tick(self) -> None:
        """The rtc thread's part: a frame every 20 ms, and the caller's audio as it grows."""
        begun, frame = self.now(), 0
        while True:
            self.source.grow(self.now())
            pcm = self.playout.tick(self.now())
            self.levels.append((self.now(), int(np.max(np.abs(pcm)))))
            self.person.tick(self.now())
            frame += 1
            await asyncio.sleep(begun + frame * FRAME_S - self.now())

    async def speak(self, start: float, stop: float) -> None:
        """The caller speaks in [start, stop): told as late as a real detector tells it."""
        await self.until(start + NOTICED_S)
        self.vad.begin(NAME, start)
        await self.until(stop + MISSED_S)
        self.vad.end(NAME, stop, stop - start)

    async def until_over(self, latest: float) -> None:
        """Waits for the end of the call, or for an instant, whichever comes first."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._over.wait(), max(latest - self.now(), 0))

    async def until(self, at: float) -> None:
        """Waits for an instant; not at all for one that is over."""
        await asyncio.sleep(max(at - self.now(), 0))

    def audible(self, start: float, stop: float) -> list[float]:
        """Instants in [start, stop) at which the caller heard the agent."""
        return [at for at, level in self.levels if start <= at < stop and level > 0]

    def turns(self) -> list[TurnEnded]:
        """The turns that came to an end, in order."""
        return [news for news in self.news if isinstance(news, TurnEnded)]


def hold(make: Callable[[], Stage], script: Callable[[Stage], Awaitable[None]]) -> Stage:
    """Runs a script against a call that is connected at 0.0, and hangs up at its end.

    `make` is called on the loop of virtual time.
    """

    async def main() -> Stage:
        stage = make()
        async with asyncio.TaskGroup() as tasks:
            stage.open(tasks)
            try:
                async with asyncio.TaskGroup() as playing:
                    call = playing.create_task(stage.live_on())
                    tick = playing.create_task(stage.tick())
                    stage.inbox.put(Connected(0.0))
                    await script(stage)
                    stage.inbox.put(Closed(stage.now(), "hangup"))
                    await call
                    tick.cancel()
            finally:
                await stage.extension.close()
                if stage.keeping is not None:
                    stage.keeping.close()
                stage.source.ring.close()
                stage.playout.close()
        return stage

    return virtualtime.run(main())
