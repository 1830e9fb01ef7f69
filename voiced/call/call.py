"""One caller, from connection to goodbye: facts in, the turn machine asked, its orders carried out.

    line, detector, playout, work --> inbox --> TurnMachine --> orders --> hearing, answering

One task reads the inbox; an order that takes time is a task of the call's own group, and dies with
it. The live take is set before any order is carried out, so that work of the old take is stale by
the time that the new one begins. It does not know HTTP, SDP or how sound is made.
"""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from typing import assert_never

from voiced.audio.pcm import SPEAKING_HZ
from voiced.call import ahead
from voiced.call.answering import Answering
from voiced.call.echo import ECHO_S
from voiced.call.handoff import Case, HandOffs
from voiced.call.hearing import Hearing
from voiced.call.ledger import Ledger
from voiced.call.news import (
    CallerHeard,
    CallerPaused,
    CallerSpoke,
    Declined,
    News,
    ReplyEnded,
    ReplyReleased,
    ReplyStarted,
    Told,
)
from voiced.call.parts import Casting, Engines, Peer, Source
from voiced.call.stopwatch import Mark
from voiced.call.tally import count
from voiced.call.tools import Tools
from voiced.call.transcript import Transcript
from voiced.config.settings import Settings
from voiced.errors import EngineFailed, Stale
from voiced.flow.cancel import Live, Take, Ticket
from voiced.flow.lane import Lane
from voiced.flow.playout import Played, Playout
from voiced.llm.model import Message as LlmMessage
from voiced.ops import log, metrics
from voiced.rtc import facts as peer_facts
from voiced.turn.facts import (
    ClientAsked,
    ClientStopped,
    Connected,
    EndScored,
    Escalated,
    Fact,
    Failed,
    Final,
    Leaving,
    Overheard,
    PlayoutFinished,
    PlayoutStarted,
    SpeechStarted,
    SpeechStopped,
    Timeout,
    ToolAsked,
    ToolReturned,
)
from voiced.turn.machine import Floor, Manner, NoRow, TurnMachine
from voiced.turn.orders import (
    Answer,
    Bridge,
    Cancel,
    Decline,
    Duck,
    EndCall,
    HandOff,
    Heed,
    Hold,
    Line,
    Note,
    Order,
    Overhear,
    Proceed,
    Release,
    Repeat,
    Resume,
    RunTool,
    Say,
    Transcribe,
)
from voiced.turn.redflag import RedFlags
from voiced.vad.model import SpeechBegan, SpeechEnded, Verdict
from voiced.words import NOTHING, Words

INBOX = 256
"""Messages. A call makes some ten a second; a quarter of a minute's worth means a stuck loop."""

PLAYOUT_DELAY_MS = 60.0
"""What a caller's jitter buffer and loudspeaker add, behind the network, before sound is heard."""

STIRRING_S = 0.1
"""What the detector takes to believe that the caller goes on: three windows and a tick."""

DUCKED = 0.25
"""How loud the agent is while the caller makes a sound: 12 dB down."""

QUESTION_MARKS = ("?", "\uff1f")

Message = (
    Verdict
    | Played
    | peer_facts.PeerFact
    | Final
    | EndScored
    | Overheard
    | ToolAsked
    | ToolReturned
    | Failed
    | Escalated
    | Leaving
    | ClientAsked
    | ClientStopped
)


@dataclass(frozen=True, slots=True)
class Wires:
    """What connects a call to its caller; made before the caller's offer is answered."""

    inbox: Lane[Message]
    source: Source
    playout: Playout
    live: Live
    hand_offs: HandOffs


class Call:
    """One call. Main loop only."""

    def __init__(
        self,
        name: str,
        casting: Casting,
        engines: Engines,
        wires: Wires,
        settings: Settings,
        now: Callable[[], float],
    ) -> None:
        """`name` is random and means nothing: it stands in logs. `now` is called on any thread."""
        self.name = name
        self.casting = casting
        self.tell: Told = lambda _news: None
        """Who is told what happens; replaced by whoever opened the caller's channel."""
        self.decided: Callable[[Fact, list[Order] | NoRow], None] = lambda _fact, _orders: None
        """Who watches what the turn machine decides; replaced likewise."""
        self.received: Callable[[Words], None] = lambda _message: None
        """Who reads what the caller's program sends; replaced likewise."""
        self._engines = engines
        self._wires = wires
        self._now = now
        self._machine = TurnMachine(casting.agent.turn, _manner(casting, engines))
        self._longest_s = settings.calls.max_call_ms / 1000
        self._transcript = Transcript()
        self._hearing = Hearing(wires.source, engines.stt, casting, settings.vad)
        self._answering = Answering(
            casting, engines, wires.playout, self._transcript, self._told, now
        )
        tools = {tool.name: tool for tool in casting.agent.tools}
        self._tools = Tools(name, tools, engines.hand, self._transcript, self._told)
        self._ledger = Ledger(name, self._transcript, self._told)
        self._silent_at = float("-inf")
        self._work: asyncio.Task[None] | None = None
        line = ahead.Line(wires.source, self._hearing, self._transcript, casting)
        self._ahead = ahead.Ahead(line, engines, settings.stt.partial_ms / 1000, now)
        self._following: asyncio.Task[None] | None = None
        self._ended: str | None = None

    async def run(self, peer: Peer) -> str:
        """Lives the call; returns why it ended, as a static name.

        However it ends, its work is stale and the detector has let go. Slot, rings and peer are
        closed by whoever opened them.
        """
        loop = asyncio.get_running_loop()
        limit = loop.call_later(self._longest_s, self.leave) if self._longest_s else None
        try:
            async with asyncio.TaskGroup() as tasks:
                while self._ended is None:
                    for order in self._decide(await self._next(), peer):
                        self._carry_out(order, tasks, peer)
                    self._follow(tasks)
                self._stop_work()
                self._stop_following()
                self._tools.close()
        finally:
            if limit is not None:
                limit.cancel()
            self._wires.live.take = Take(self._machine.take.turn, self._machine.take.take + 1)
            self._engines.vad.detach(self.name)
        return self._ended

    def history(self) -> list[LlmMessage]:
        """The conversation as the next prompt would hold it."""
        return self._transcript.messages()

    def leave(self) -> None:
        """Says goodbye and ends the call."""
        self._wires.inbox.put(Leaving(self._now()))

    def hang_up(self) -> None:
        """Ends the call at once."""
        self._wires.inbox.put(peer_facts.Closed(self._now(), "hangup"))

    def ask(self, text: Words) -> None:
        """Answers words that the caller's program wrote; Declined is told where it is no time."""
        self._wires.inbox.put(ClientAsked(self._now(), text))

    def stop(self) -> None:
        """Silences the agent, where it speaks or is about to."""
        self._wires.inbox.put(ClientStopped(self._now()))

    def returned(self, call_id: str, output: Words) -> bool:
        """The caller's program has run a tool. False: nobody waits for it."""
        return self._tools.returned(call_id, output)

    async def _next(self) -> Message | Timeout:
        """The next message, or Timeout at the machine's deadline.

        A pause does not end while the caller may just be going on: the detector will soon know.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout_at(self._machine.deadline):
                return await self._wires.inbox.get()
        if self._machine.floor is Floor.PAUSING and self._engines.vad.stirs(self.name):
            with suppress(TimeoutError):
                async with asyncio.timeout(STIRRING_S):
                    return await self._wires.inbox.get()
        return Timeout(self._now())

    def _decide(self, message: Message | Timeout, peer: Peer) -> list[Order]:
        fact = self._fact(message, peer)
        if fact is None:
            return []
        floor, take = self._machine.floor, self._machine.take
        try:
            orders = self._machine.handle(fact)
        except NoRow as odd:
            metrics.UNEXPECTED_FACTS.labels(odd.floor.value, odd.fact.__name__).inc()
            self.decided(fact, odd)
            return []
        self._wires.live.take = self._machine.take
        self._mark(fact, floor, take)
        count(floor, take, fact, self._machine)
        self.decided(fact, orders)
        return orders

    def _mark(self, fact: Fact, before: Floor, stale: Take) -> None:
        """The turn's clock starts with its last pause, and the endpoint is a mark on it."""
        take = self._machine.take
        match before, self._machine.floor, fact:
            case _, Floor.PAUSING, SpeechStopped():
                self._ledger.paused(take.turn, self._machine.paused_at, self._now())
            case _, Floor.PAUSING | Floor.SPEAKING, Overheard() if take != stale:
                self._ledger.paused(take.turn, self._machine.paused_at, self._now())
            case _, Floor.THINKING, ClientAsked(at):
                self._ledger.paused(take.turn, at, self._now())
                self._ledger.watch.mark(Mark.OVER, self._now())
            case Floor.PAUSING, _, Timeout(at):
                self._ledger.watch.mark(Mark.OVER, at)
            case _:
                pass

    def _fact(self, message: Message | Timeout, peer: Peer) -> Fact | None:
        """What a message means to the turn machine; None when nothing."""
        match message:
            case Timeout() | Final() | EndScored() | Overheard() | Failed():
                return message
            case (
                ToolAsked()
                | ToolReturned()
                | Leaving()
                | Escalated()
                | ClientAsked()
                | ClientStopped()
            ):
                return message
            case SpeechBegan(at, sample):
                self._told(CallerSpoke(sample))
                return SpeechStarted(at, sample)
            case SpeechEnded(at, sample, voiced_s):
                self._told(CallerPaused(sample))
                return SpeechStopped(at, sample, voiced_s)
            case Played():
                return self._heard(message, peer)
            case peer_facts.Connected(at):
                self._engines.vad.attach(self.name, self._wires.source, self._wires.inbox.put)
                return Connected(at)
            case peer_facts.Closed(_, reason):
                self._ended = reason
            case peer_facts.Received(_, text):
                self.received(text)
            case peer_facts.ChannelOpened():
                pass
            case _:
                assert_never(message)
        return None

    def _heard(self, played: Played, peer: Peer) -> Fact | None:
        """The caller hears the first of a reply, or has heard the last of it."""
        take, at = played.take, played.at
        if take != self._machine.take:
            return None  # the tick was about to tell it when the take was cut
        if not played.finished:
            self._ledger.watch.mark(Mark.SENT, at)
            self._told(ReplyStarted(take))
            return PlayoutStarted(at, take)
        self._ledger.close(take, peer.network(), played.samples, cut=False)
        self._silent_at = at
        return PlayoutFinished(at, take)

    def _carry_out(self, order: Order, tasks: asyncio.TaskGroup, peer: Peer) -> None:
        match order:
            case Transcribe() | Answer() | Repeat() | RunTool() | Proceed():
                self._work = self._start(order.take, self._begin(order, tasks), tasks)
            case Overhear(take):
                self._start(take, self._overhear(order), tasks)
            case Release() | Duck() | Hold() | Resume():
                self._steer(order)
            case Say() | Bridge() | Note() | Heed() | Decline():
                self._put_down(order)
            case Cancel(take):
                self._cancel(take, peer)
            case HandOff(reason):
                case_ = Case(self.name, self.casting.agent, reason)
                self._wires.hand_offs.begin(case_, self._escalate)
            case EndCall():
                self._ended = "left"
            case _:
                assert_never(order)

    def _begin(
        self, order: Transcribe | Answer | Repeat | RunTool | Proceed, tasks: asyncio.TaskGroup
    ) -> Coroutine[None, None, None]:
        """The work that an order asks for; there is one at a time."""
        match order:
            case Transcribe():
                return self._transcribe(order)
            case RunTool(take):
                return self._run_tools(take, tasks)
            case Proceed(take):
                return self._proceed(take)
            case Answer(take, text):
                self._ledger.watch.mark(Mark.FINAL, self._now())
                self._transcript.asked(take, text)
                return self._answer(take)
            case Repeat(take, text):
                self._ledger.watch.mark(Mark.FINAL, self._now())
                self._transcript.asked(take, text)
                return self._answering.repeat(self._ticket(take), self._ledger.watch)
            case _:
                assert_never(order)

    def _put_down(self, order: Say | Bridge | Note | Heed | Decline) -> None:
        """What is said or known without any work."""
        match order:
            case Say(take, line):
                self._wires.playout.gain = 1.0
                self._told(ReplyReleased(take))
                self._answering.say(take, line)
            case Bridge(take, line):
                self._answering.bridge(take, line)
            case Note(take, text):
                self._transcript.wrote(take, text)
            case Heed(take, text):
                self._transcript.asked(take, text)
                self._told(CallerHeard(take, text))
            case Decline():
                self._told(Declined())
            case _:
                assert_never(order)

    def _escalate(self, line: Line) -> None:
        self._wires.inbox.put(Escalated(self._now(), line))

    def _steer(self, order: Release | Duck | Hold | Resume) -> None:
        """What the caller hears of the sound that is made."""
        playout = self._wires.playout
        match order:
            case Release(take):
                if spoken := self._transcript.spoken(take.turn):
                    self._told(CallerHeard(take, spoken))
                self._told(ReplyReleased(take))
                playout.released = take
                metrics.SPECULATION.labels("won").inc()
            case Duck():
                playout.gain = DUCKED
            case Hold():
                playout.released = None
            case Resume(take):
                playout.gain = 1.0
                playout.released = take
            case _:
                assert_never(order)

    def _start(
        self, take: Take, work: Coroutine[None, None, None], tasks: asyncio.TaskGroup
    ) -> asyncio.Task[None]:
        """Work for a take as a task; one that is cancelled before it began leaves nothing open."""
        task = tasks.create_task(self._do(take, work))
        task.add_done_callback(lambda _task: work.close())
        return task

    async def _do(self, take: Take, work: Coroutine[None, None, None]) -> None:
        """Work for a take: what goes wrong with it becomes a fact."""
        try:
            await work
        except Stale:
            return
        except EngineFailed as failure:
            log.warning("turn.failed", call=self.name, turn=take.turn, stage=failure.stage)
            self._wires.inbox.put(Failed(self._now(), take))

    async def _transcribe(self, order: Transcribe) -> None:
        ended_at = self._wires.source.instant(order.spans[-1].stop)
        echo_possible = ended_at < self._silent_at + ECHO_S
        saying = self._transcript.saying(order.take.turn - 1) if echo_possible else NOTHING
        text, echo = await self._hearing.hear(order, self._ticket(order.take), saying)
        self._wires.inbox.put(Final(self._now(), order.take, text, echo))

    async def _overhear(self, order: Overhear) -> None:
        """What was said over the agent; a recogniser that fails costs the agent nothing."""
        take = order.take
        saying = self._transcript.saying(take.turn)
        try:
            text = await self._hearing.read(order, self._ticket(take), saying)
        except EngineFailed:
            text = NOTHING
        asking = saying.reveal().rstrip().endswith(QUESTION_MARKS)
        self._wires.inbox.put(Overheard(self._now(), take, text, asking))

    async def _answer(self, take: Take) -> None:
        ticket = self._ticket(take)
        likely = await self._answering.likely_over(ticket)
        self._wires.inbox.put(EndScored(self._now(), take, likely))
        await self._proceed(take)

    async def _proceed(self, take: Take) -> None:
        """The reply, or its next part; it may need tools before it can go on."""
        ticket = self._ticket(take)
        asked = await self._answering.answer(ticket, self._ledger.watch)
        if asked.calls and not ticket.stale:
            self._tools.hold(take, asked)
            self._wires.inbox.put(ToolAsked(self._now(), take))

    async def _run_tools(self, take: Take, tasks: asyncio.TaskGroup) -> None:
        await self._tools.run(take, tasks)
        self._wires.inbox.put(ToolReturned(self._now(), take))

    def _cancel(self, take: Take, peer: Peer) -> None:
        """The take is no longer live: the tick skips its sound from the next frame on."""
        self._stop_work()
        self._wires.playout.gain = 1.0
        cursor = self._wires.playout.cursor
        if cursor.take != take or cursor.samples == 0:
            self._transcript.cut(take, 0)
            metrics.SPECULATION.labels("wasted").inc()
            self._told(ReplyEnded(take, NOTHING, cut=True, samples=0))
            return
        self._silent_at = self._now()
        late_ms = PLAYOUT_DELAY_MS + peer.network().rtt_ms / 2
        heard = max(cursor.samples - int(late_ms * SPEAKING_HZ / 1000), 0)
        self._transcript.cut(take, heard)
        self._ledger.close(take, peer.network(), heard, cut=True)

    def _follow(self, tasks: asyncio.TaskGroup) -> None:
        """While the caller speaks, and no longer, what was said so far is read ahead."""
        if self._machine.floor is not Floor.HEARING:
            self._stop_following()
        elif self._following is None:
            work = self._ahead.follow(self._machine.spans, self._ticket(self._machine.take))
            self._following = tasks.create_task(work)

    def _stop_following(self) -> None:
        if self._following is not None:
            self._following.cancel()
            self._following = None

    def _stop_work(self) -> None:
        if self._work is not None:
            self._work.cancel()
            self._work = None

    def _ticket(self, take: Take) -> Ticket:
        return Ticket(self.name, take, self._wires.live)

    def _told(self, news: News) -> None:
        self.tell(news)


def _manner(casting: Casting, engines: Engines) -> Manner:
    """What the agent does of its own accord, in every language that it has."""
    agent = casting.agent
    return Manner(
        red_flags=RedFlags(phrase for phrases in agent.red_flags.values() for phrase in phrases),
        lines=frozenset(engines.lines),
        hands_off=bool(agent.handoffs),
    )
