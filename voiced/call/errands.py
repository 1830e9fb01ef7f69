"""Carries out the orders of one call: begins work, stops it, and steers what the caller hears.

There is one piece of work at a time, for the live take; what goes wrong with it becomes a fact. It
decides nothing about the conversation, and does not know what becomes of the facts that it posts.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import assert_never

from voiced.audio.pcm import SPEAKING_HZ
from voiced.call.answering import Answering
from voiced.call.echo import ECHO_S, echoes
from voiced.call.grounding import Kind
from voiced.call.handoff import Case
from voiced.call.hearing import Hearing
from voiced.call.ledger import Ledger
from voiced.call.news import (
    CallerHeard,
    Declined,
    News,
    PersonJoined,
    PersonLeft,
    ReplyEnded,
    ReplyReleased,
    Told,
)
from voiced.call.parts import Casting, Engines, Peer
from voiced.call.stopwatch import Mark
from voiced.call.strain import Measure
from voiced.call.tools import Tools
from voiced.call.transcript import Transcript
from voiced.call.wires import Wires
from voiced.config.settings import Vad
from voiced.errors import EngineFailed, Stale
from voiced.flow.cancel import Take, Ticket
from voiced.ops import log, metrics
from voiced.turn.facts import (
    ClauseSounds,
    EndScored,
    Failed,
    Final,
    LineDue,
    Overheard,
    Partial,
    Suspected,
    ToolAsked,
    ToolReturned,
    Withheld,
)
from voiced.turn.orders import (
    Adapt,
    Amend,
    Answer,
    Bridge,
    Cancel,
    Decline,
    Duck,
    HandOff,
    Heed,
    Hold,
    Keep,
    Line,
    Note,
    Overhear,
    Proceed,
    PutThrough,
    Release,
    Repeat,
    Resume,
    RunTool,
    Say,
    TakeBack,
    Transcribe,
)
from voiced.turn.talk import GREETING
from voiced.words import NOTHING, Words

PLAYOUT_DELAY_MS = 60.0
"""What a caller's jitter buffer and loudspeaker add, behind the network, before sound is heard."""

DUCKED = 0.25
"""How loud the agent is while the caller makes a sound: 12 dB down."""

QUESTION_MARKS = ("?", "\uff1f")

Work = Transcribe | Answer | Repeat | RunTool | Proceed
Steering = Release | Duck | Hold | Resume
Word = Say | Bridge | Note | Heed | Amend | Adapt | Decline

Errand = Work | Steering | Word | Overhear | Cancel | Keep | HandOff | PutThrough | TakeBack
"""Every order but the one that ends the call."""


class Errands:
    """Of one call. Main loop only."""

    def __init__(
        self,
        name: str,
        casting: Casting,
        engines: Engines,
        wires: Wires,
        vad: Vad,
        now: Callable[[], float],
    ) -> None:
        """`now` is called on any thread."""
        self.tell: Told = lambda _news: None
        """Who is told what happens; replaced by the call."""
        self.transcript = Transcript()
        self.ledger = Ledger(name, self.transcript, self._told, casting, engines.strain, now)
        self.ledger.trace = wires.trace
        self.hearing = Hearing(wires.source, engines.stt, casting, vad)
        tools = {tool.name: tool for tool in casting.agent.tools}
        self.tools = Tools(name, tools, engines.hand, self.transcript, self._told)
        self.silent_at = float("-inf")
        """When the last of the agent's sound was sent: its echo may come back for a while."""
        self.answering = Answering(
            casting, engines, wires.playout, self.transcript, self._told, now
        )
        self.answering.sounds = self._sounds
        self.handed_off = False
        """Somebody was asked to take over."""
        self._name = name
        self._casting = casting
        self._wires = wires
        self._now = now
        self._strain = engines.strain
        self._over = asyncio.Event()
        """The turn of the newest work is over."""
        self._slot = engines.slot
        self._work: asyncio.Task[None] | None = None

    def carry_out(self, order: Errand, tasks: asyncio.TaskGroup, peer: Peer) -> None:
        """Does what the machine wants; work that takes time becomes a task of `tasks`."""
        match order:
            case Transcribe() | Answer() | Repeat() | RunTool() | Proceed():
                self._work = self._start(order.take, self._begin(order, tasks), tasks)
            case Overhear(take):
                self._start(take, self._overhear(order), tasks)
            case Release() | Duck() | Hold() | Resume():
                self._steer(order)
            case Say() | Bridge() | Note() | Heed() | Amend() | Adapt() | Decline():
                self._put_down(order)
            case Cancel(take):
                self._cancel(take, peer)
            case Keep():
                assert self._wires.keeping is not None
                self._wires.keeping.begin(self.transcript, self._wires.source)
            case HandOff(reason):
                self.handed_off = True
                case_ = Case(self._name, self._casting.agent, reason)
                self._wires.hand_offs.begin(case_, self._due)
            case PutThrough(take):
                self._put_through(take)
            case TakeBack(take):
                self._take_back(take)
            case _:
                assert_never(order)

    def _begin(self, order: Work, tasks: asyncio.TaskGroup) -> Coroutine[None, None, None]:
        """The work that an order asks for; there is one at a time."""
        match order:
            case Transcribe():
                return self._transcribe(order)
            case RunTool(take):
                return self._run_tools(take, tasks)
            case Proceed(take):
                return self._proceed(take)
            case Answer(take, text):
                self.ledger.watch.mark(Mark.FINAL, self._now())
                self._asked(take, text)
                self._over = asyncio.Event()
                return self._answer(take, self._over)
            case Repeat(take, text):
                self.ledger.watch.mark(Mark.FINAL, self._now())
                self._asked(take, text)
                return self.answering.repeat(self._ticket(take), self.ledger.watch)
            case _:
                assert_never(order)

    def _put_down(self, order: Word) -> None:
        """What is said or known without any work."""
        match order:
            case Say(take, line):
                self._wires.playout.gain = 1.0
                self.tell(ReplyReleased(take, self.answering.unspoken(take)))
                self.answering.say(take, line)
            case Bridge(take, line):
                self._wires.playout.released = take  # the turn is over, though it may be unread
                self.answering.bridge(take, line)
            case Note(take, text, silent):
                self.transcript.wrote(take, text)
                self._speak_as_heard(take)
                if silent:
                    self.answering.silent_in = take.turn
            case Heed(take, text):
                self._asked(take, text)
                self.tell(CallerHeard(take, text))
            case Amend(take, text):
                self._asked(take, text)
            case Adapt(wish):
                self.answering.adapt(wish)
            case Decline():
                self.tell(Declined())
            case _:
                assert_never(order)

    def _asked(self, take: Take, text: Words) -> None:
        self.transcript.asked(take, text)
        self._speak_as_heard(take)

    def _speak_as_heard(self, take: Take) -> None:
        """The call goes on in the language in which the caller has spoken."""
        casting, language = self._casting, self.hearing.leanings.counts(take.turn)
        if language == casting.language:
            return
        before, prompt = (casting.agent.prompt_in(one) for one in (casting.language, language))
        if prompt != before:
            self._slot.instruct(prompt)
        casting.language = language
        log.info("call.language", call=self._name, turn=take.turn, language=language)

    def warn(self) -> None:
        """The call must end soon."""
        self._due(Line.CLOSING_SOON)

    def _due(self, line: Line) -> None:
        self._wires.inbox.put(LineDue(self._now(), line))

    def _sounds(self, take: Take, clause: Words) -> None:
        self._wires.inbox.put(ClauseSounds(self._now(), take, clause))

    def _steer(self, order: Steering) -> None:
        """What the caller hears of the sound that is made."""
        playout = self._wires.playout
        match order:
            case Release(take):
                if spoken := self.transcript.spoken(take.turn):
                    self.tell(CallerHeard(take, spoken))
                self.tell(ReplyReleased(take, self.answering.unspoken(take)))
                playout.released = take
                self._over.set()
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
            log.warning("turn.failed", call=self._name, turn=take.turn, stage=failure.stage)
            self._wires.inbox.put(Failed(self._now(), take))

    def read_ahead(self, take: Take, stable: Words) -> None:
        """Words of a turn that still goes on; the agent's own are none."""
        if not echoes(stable, self._audible_at(self._now(), take)):
            self._wires.inbox.put(Partial(self._now(), take, stable))

    def _audible_at(self, at: float, take: Take) -> Words:
        """What may come back at an instant of what the agent said before the take's turn."""
        if at < self.silent_at + ECHO_S:
            return self.transcript.saying(take.turn - 1)
        return NOTHING

    async def _transcribe(self, order: Transcribe) -> None:
        ended_at = self._wires.source.instant(order.spans[-1].stop)
        saying = self._audible_at(ended_at, order.take)
        read = await self.hearing.hear(order, self._ticket(order.take), saying)
        self._wires.inbox.put(Final(self._now(), order.take, read.text, read.echo))
        if read.again is not None:
            await self._listen_again(order.take, read.again)

    async def _listen_again(self, take: Take, again: Callable[[], Awaitable[Words]]) -> None:
        """Words that name no emergency may have been one; nobody waits until that is known."""
        try:
            text = await again()
        except EngineFailed:
            return
        if text:
            self._wires.inbox.put(Suspected(self._now(), take, text))

    async def _overhear(self, order: Overhear) -> None:
        """What was said over the agent; a recogniser that fails costs the agent nothing."""
        take = order.take
        cursor = self._wires.playout.cursor
        begun = cursor.samples if cursor.take == take else 0
        try:
            sounded = self.transcript.sounded(take.turn, begun)
            text = await self.hearing.read(order, self._ticket(take), sounded)
        except EngineFailed:
            text = NOTHING
        saying = self.transcript.saying(take.turn)
        asking = saying.reveal().rstrip().endswith(QUESTION_MARKS)
        self._wires.inbox.put(Overheard(self._now(), take, text, asking))

    async def _answer(self, take: Take, over: asyncio.Event) -> None:
        ticket = self._ticket(take)
        likely = await self.answering.likely_over(ticket)
        self._wires.inbox.put(EndScored(self._now(), take, likely))
        if self._strain.leaves_out(Measure.SPECULATION, self._now()):
            await over.wait()
        await self._proceed(take)

    async def _proceed(self, take: Take) -> None:
        """The reply, or its next part; it may need tools before it can go on."""
        ticket = self._ticket(take)
        made = await self.answering.answer(ticket, self.ledger.watch)
        if ticket.stale:
            return
        if isinstance(made, Kind):
            if self._casting.agent.grounding == "handoff":
                self._wires.inbox.put(Withheld(self._now(), take))
        elif made.calls:
            self.tools.hold(take, made)
            self._wires.inbox.put(ToolAsked(self._now(), take))

    async def _run_tools(self, take: Take, tasks: asyncio.TaskGroup) -> None:
        await self.tools.run(take, tasks)
        self._wires.inbox.put(ToolReturned(self._now(), take))

    def _cancel(self, take: Take, peer: Peer) -> None:
        """The take is no longer live: the tick skips its sound from the next frame on."""
        self.stop()
        self._wires.playout.gain = 1.0
        heard = self._silence(take, peer)
        disclosure = self._casting.tongue.lines.get(Line.DISCLOSURE)
        if take == GREETING and disclosure is not None and heard < len(disclosure.pcm):
            self._due(Line.DISCLOSURE)

    def _silence(self, take: Take, peer: Peer) -> int:
        """What the caller has heard of a take that is cut, in samples."""
        cursor = self._wires.playout.cursor
        if cursor.take == take and cursor.samples:
            self.silent_at = self._now()
        if cursor.take != take or not cursor.samples or self.transcript.bridged(take.turn):
            self.transcript.cut(take, 0)
            metrics.SPECULATION.labels("wasted").inc()
            self.tell(ReplyEnded(take, NOTHING, cut=True, samples=0))
            return 0
        network = peer.network()
        late_ms = PLAYOUT_DELAY_MS + network.rtt_ms / 2 + network.ahead_ms
        heard = max(cursor.samples - int(late_ms * SPEAKING_HZ / 1000), 0)
        self.transcript.cut(take, heard)
        self.ledger.close(take, network, heard, cut=True)
        return heard

    def _put_through(self, take: Take) -> None:
        """For the caller's program it is a reply without words."""
        self._wires.hand_offs.acknowledge(self._name)
        self._wires.extension.put_through(take)
        self._wires.playout.released = take
        self.tell(PersonJoined())
        self.tell(ReplyReleased(take))

    def _take_back(self, take: Take) -> None:
        cursor = self._wires.playout.cursor
        samples = cursor.samples if cursor.take == take else 0
        self.tell(ReplyEnded(take, NOTHING, cut=False, samples=samples))
        self.tell(PersonLeft())

    def end(self, take: Take) -> None:
        """The call is over in this take: of what was made for it the caller has heard no more."""
        self.stop()
        cursor = self._wires.playout.cursor
        self.transcript.cut(take, cursor.samples if cursor.take == take else 0)

    def stop(self) -> None:
        """Ends the work that runs."""
        if self._work is not None:
            self._work.cancel()
            self._work = None

    def _ticket(self, take: Take) -> Ticket:
        return Ticket(self._name, take, self._wires.live)

    def _told(self, news: News) -> None:
        self.tell(news)
