"""Carries out the orders of one call: begins work, stops it, and steers what the caller hears.

There is one piece of work at a time, for the live take; what goes wrong with it becomes a fact. It
decides nothing about the conversation, and does not know what becomes of the facts that are posted.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import assert_never

from voiced.call.answering import Answering
from voiced.call.handoff import Case
from voiced.call.hearing import Hearing
from voiced.call.ledger import Ledger
from voiced.call.news import (
    CallerHeard,
    Declined,
    News,
    Told,
)
from voiced.call.parts import Casting, Engines, Peer
from voiced.call.playing import Playing
from voiced.call.reading import Reading
from voiced.call.replying import Replying
from voiced.call.stopwatch import Mark
from voiced.call.tools import Tools
from voiced.call.transcript import Transcript
from voiced.call.wires import Wires
from voiced.config.settings import Vad
from voiced.errors import EngineFailed, Stale
from voiced.flow.cancel import Take, Ticket
from voiced.ops import log, metrics
from voiced.turn.facts import (
    ClauseSounds,
    Failed,
    LineDue,
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
from voiced.words import Words

Work = Transcribe | Answer | Repeat | RunTool | Proceed
Steering = Release | Duck | Hold | Resume | PutThrough | TakeBack
Word = Say | Bridge | Note | Heed | Amend | Adapt | Decline

Errand = Work | Steering | Word | Overhear | Cancel | Keep | HandOff
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
        self.playing = Playing(wires, self.transcript, self.ledger, self._told, now)
        self.reading = Reading(self.hearing, self.transcript, self.playing, wires, now)
        tools = {tool.name: tool for tool in casting.agent.tools}
        self.tools = Tools(name, tools, engines.hand, self.transcript, self._told)
        self.answering = Answering(
            casting, engines, wires.playout, self.transcript, self._told, now
        )
        self.answering.sounds = self._sounds
        self._replying = Replying(
            self.answering, self.tools, self.ledger, wires, engines.strain, now
        )
        self.handed_off = False
        """Somebody was asked to take over."""
        self._name = name
        self._casting = casting
        self._wires = wires
        self._now = now
        self._slot = engines.slot
        self._work: asyncio.Task[None] | None = None

    def carry_out(self, order: Errand, tasks: asyncio.TaskGroup, peer: Peer) -> None:
        """Does what the machine wants; work that takes time becomes a task of `tasks`."""
        match order:
            case Transcribe() | Answer() | Repeat() | RunTool() | Proceed():
                self._work = self._start(order.take, self._begin(order, tasks), tasks)
            case Overhear(take):
                self._start(take, self.reading.overhear(order, self._ticket(take)), tasks)
            case Release() | Duck() | Hold() | Resume() | PutThrough() | TakeBack():
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
            case _:
                assert_never(order)

    def _begin(self, order: Work, tasks: asyncio.TaskGroup) -> Coroutine[None, None, None]:
        """The work that an order asks for; there is one at a time."""
        ticket = self._ticket(order.take)
        match order:
            case Transcribe():
                return self.reading.transcribe(order, ticket)
            case RunTool(take):
                return self._replying.run_tools(take, tasks)
            case Proceed():
                return self._replying.proceed(ticket)
            case Answer(take, text):
                self._read(take, text)
                return self._replying.answer(ticket)
            case Repeat(take, text):
                self._read(take, text)
                return self._replying.repeat(ticket)
            case _:
                assert_never(order)

    def _put_down(self, order: Word) -> None:
        """What is said or known without any work."""
        match order:
            case Say(take, line):
                self.playing.loud()
                self.playing.release(take, silent=self.answering.unspoken(take))
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

    def _read(self, take: Take, text: Words) -> None:
        self.ledger.watch.mark(Mark.FINAL, self._now())
        self._asked(take, text)

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
        match order:
            case Release(take):
                if spoken := self.transcript.spoken(take.turn):
                    self.tell(CallerHeard(take, spoken))
                self.playing.release(take, silent=self.answering.unspoken(take))
                self._replying.over()
                metrics.SPECULATION.labels("won").inc()
            case Duck():
                self.playing.duck()
            case Hold():
                self.playing.hold()
            case Resume(take):
                self.playing.resume(take)
            case PutThrough(take):
                self._wires.hand_offs.acknowledge(self._name)
                self.playing.put_through(take)
            case TakeBack(take):
                self.playing.take_back(take)
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

    def _cancel(self, take: Take, peer: Peer) -> None:
        """The take is no longer live."""
        self.stop()
        heard = self.playing.cut(take, peer)
        disclosure = self._casting.tongue.lines.get(Line.DISCLOSURE)
        if take == GREETING and disclosure is not None and heard < len(disclosure.pcm):
            self._due(Line.DISCLOSURE)

    def end(self, take: Take) -> None:
        """The call is over in this take."""
        self.stop()
        self.playing.end(take)

    def stop(self) -> None:
        """Ends the work that runs."""
        if self._work is not None:
            self._work.cancel()
            self._work = None

    def _ticket(self, take: Take) -> Ticket:
        return Ticket(self._name, take, self._wires.live)

    def _told(self, news: News) -> None:
        self.tell(news)
