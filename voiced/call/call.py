"""One caller, from connection to goodbye: facts in, the turn machine asked, its orders carried out.

    line, detector, playout, work --> inbox --> TurnMachine --> orders --> Errands

One task reads the inbox; an order that takes time is a task of the call's own group, and dies with
it. The live take is set before any order is carried out, so that work of the old take is stale by
the time that the new one begins. It does not know HTTP, SDP or how sound is made.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import assert_never

from voiced.call import ahead
from voiced.call.dialling import Dialling
from voiced.call.errands import Errands
from voiced.call.extension import Extension
from voiced.call.news import (
    CallerPaused,
    CallerSpoke,
    News,
    ReplyStarted,
    Told,
)
from voiced.call.parts import Casting, Engines, Peer
from voiced.call.program import Program
from voiced.call.stopwatch import Mark
from voiced.call.tally import count
from voiced.call.wires import Message, Wires
from voiced.config.settings import Settings
from voiced.flow.cancel import Take, Ticket
from voiced.flow.playout import Played
from voiced.llm.model import Message as LlmMessage
from voiced.ops import log, metrics
from voiced.rtc import facts as peer_facts
from voiced.turn.dictation import asks_for_dictation
from voiced.turn.facts import (
    ClauseSounds,
    ClientAsked,
    ClientStopped,
    Connected,
    EndScored,
    Fact,
    Failed,
    Final,
    HearingLost,
    Joined,
    Leaving,
    LineDue,
    LineLost,
    Overheard,
    Parted,
    Partial,
    PlayoutFinished,
    PlayoutStarted,
    SpeechStarted,
    SpeechStopped,
    Suspected,
    Timeout,
    ToolAsked,
    ToolReturned,
    Withheld,
)
from voiced.turn.machine import Floor, Manner, NoRow, TurnMachine
from voiced.turn.orders import (
    EndCall,
    Order,
)
from voiced.turn.redflag import RedFlags
from voiced.vad.model import Deafened, SpeechBegan, SpeechEnded, Verdict
from voiced.words import Words

NOTICE_S = 60.0
"""A call that must end is told so this long before, or after half of a short one."""

STIRRING_S = 0.1
"""What the detector takes to believe that the caller goes on: three windows and a tick."""


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
        self._machine = TurnMachine(
            casting.agent.turn, _manner(casting, asks_consent=wires.keeping is not None)
        )
        self._longest_s = settings.calls.max_call_ms / 1000
        self._patience_s = settings.calls.resume_ms / 1000
        self._errands = Errands(name, casting, engines, wires, settings.vad, now)
        self._errands.tell = self._told
        line = ahead.Line(wires.source, self._errands.hearing, self._errands.transcript, casting)
        self._ahead = ahead.Ahead(
            line, engines, settings.stt.partial_ms / 1000, now, self._errands.reading.read_ahead
        )
        self._dialling = Dialling(self._dialled)
        self._following: asyncio.Task[None] | None = None
        self.program = Program(self, engines, wires, self._errands, self._machine.renew)
        self._ended: str | None = None

    async def run(self, peer: Peer) -> str:
        """Lives the call; returns why it ended, as a static name.

        However it ends, its work is stale and the detector has let go. Slot, rings and peer are
        closed by whoever opened them.
        """
        loop = asyncio.get_running_loop()
        timers: list[asyncio.TimerHandle] = []
        if longest_s := self._longest_s:
            notice_s = min(NOTICE_S, longest_s / 2)
            timers.append(loop.call_later(longest_s - notice_s, self._errands.warn))
            timers.append(loop.call_later(longest_s, self.leave))
        try:
            async with asyncio.TaskGroup() as tasks:
                self.program.tasks = tasks
                while self._ended is None:
                    message = await self._next()
                    away = self._machine.floor is Floor.AWAY
                    for order in self._decide(message, peer):
                        if isinstance(order, EndCall):
                            self._ended = "lost" if away else "left"
                        else:
                            self._errands.carry_out(order, tasks, peer)
                    self._follow(tasks)
                self._errands.end(self._machine.take)
                self._stop_following()
                self._errands.tools.close()
                self.program.close()
        finally:
            for timer in timers:
                timer.cancel()
            self._dialling.close()
            self._wires.live.take = Take(self._machine.take.turn, self._machine.take.take + 1)
            self._engines.vad.detach(self.name)
        return self._ended

    @property
    def extension(self) -> Extension | None:
        """Where a person may join; None: nobody was asked to."""
        return self._wires.extension if self._errands.handed_off else None

    def history(self) -> list[LlmMessage]:
        """The conversation as the next prompt would hold it."""
        return self._errands.transcript.messages()

    def leave(self) -> None:
        """Says goodbye and ends the call."""
        self._wires.inbox.put(Leaving(self._now()))

    def lose(self) -> None:
        """The engines are gone: says the line for that, which was made at start."""
        self._wires.inbox.put(Deafened(self._now()))

    def hang_up(self) -> None:
        """Ends the call at once."""
        self._wires.inbox.put(peer_facts.Closed(self._now(), "hangup"))

    def ask(self, text: Words, *, silent: bool = False) -> None:
        """Answers words that the caller's program wrote; Declined is told where it is no time.

        `silent`: in words alone.
        """
        self._wires.inbox.put(ClientAsked(self._now(), text, silent))

    def stop(self) -> None:
        """Silences the agent, where it speaks or is about to."""
        self._wires.inbox.put(ClientStopped(self._now()))

    def _dialled(self, keys: Words) -> None:
        """Whoever presses keys does not want to hear the rest first."""
        self.stop()
        self.ask(keys)

    def returned(self, call_id: str, output: Words) -> bool:
        """The caller's program has run a tool. False: nobody waits for it."""
        return self._errands.tools.returned(call_id, output)

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
                self._errands.ledger.paused(take.turn, self._machine.paused_at, self._now())
            case _, Floor.PAUSING | Floor.SPEAKING, Overheard() if take != stale:
                self._errands.ledger.paused(take.turn, self._machine.paused_at, self._now())
            case Floor.HEARING, Floor.OVERLAPPING, Partial(at):
                self._errands.ledger.paused(take.turn, at, self._now())
            case _, Floor.THINKING, ClientAsked(at):
                self._errands.ledger.paused(take.turn, at, self._now())
                self._errands.ledger.watch.mark(Mark.OVER, self._now())
            case Floor.PAUSING, _, Timeout(at):
                self._errands.ledger.watch.mark(Mark.OVER, at)
            case _:
                pass

    def _fact(self, message: Message | Timeout, peer: Peer) -> Fact | None:
        """What a message means to the turn machine; None when nothing."""
        match message:
            case Timeout() | Partial() | Final() | EndScored() | Overheard() | Failed():
                return message
            case (
                ClauseSounds()
                | ToolAsked()
                | ToolReturned()
                | Withheld()
                | Suspected()
                | Leaving()
                | LineDue()
                | ClientAsked()
                | ClientStopped()
            ):
                return message
            case SpeechBegan() | SpeechEnded():
                return self._spoke(message)
            case Deafened(at):
                log.warning("call.deafened", call=self.name)
                return HearingLost(at)
            case Joined():
                self._cut_off()
                return message
            case Parted():
                self._wires.extension.part()
                self.program.clear()  # what was said to the person is for nobody else
                return message
            case Played():
                return self._heard(message, peer)
            case _:
                return self._line(message)

    def _line(self, message: peer_facts.PeerFact | peer_facts.Lost) -> Fact | None:
        """What the caller's line has told."""
        match message:
            case peer_facts.Connected(at):
                self.program.connected()
                return Connected(at)
            case peer_facts.Lost(at):
                log.info("call.lost", call=self.name)
                self._engines.vad.detach(self.name)
                return LineLost(at, at + self._patience_s)
            case peer_facts.Closed(_, reason):
                self._ended = reason
            case peer_facts.Received(_, text):
                self.received(text)
            case peer_facts.Pressed(_, key):
                self._dialling.press(key)
            case peer_facts.ChannelOpened():
                pass
            case _:
                assert_never(message)
        return None

    def _spoke(self, verdict: Verdict) -> Fact | None:
        """The detector's word, unless it was given before the caller's program took over."""
        match verdict:
            case SpeechBegan(at, sample) if not self._unheeded:
                self.program.spoke_at = sample
                self._told(CallerSpoke(sample))
                return SpeechStarted(at, sample)
            case SpeechEnded(at, sample, voiced_s) if self.program.spoke_at is not None:
                self.program.spoke_at = None
                self._told(CallerPaused(sample))
                return SpeechStopped(at, sample, voiced_s)
            case _:
                return None

    def _cut_off(self) -> None:
        """What the caller is saying is heard no further: the program is told of a pause."""
        if self.program.spoke_at is not None:
            self.program.spoke_at = None
            self._told(CallerPaused(self._wires.source.ring.written))

    @property
    def _unheeded(self) -> bool:
        """What the caller says is not for the agent, or not yet."""
        return self.program.deciding or self._machine.floor is Floor.JOINED

    def _heard(self, played: Played, peer: Peer) -> Fact | None:
        """The caller hears the first of a reply, or has heard the last of it."""
        take, at = played.take, played.at
        if take != self._machine.take:
            return None  # the tick was about to tell it when the take was cut
        if not played.finished:
            self._errands.ledger.watch.mark(Mark.SENT, at)
            self._told(ReplyStarted(take))
            return PlayoutStarted(at, take)
        self._errands.ledger.close(take, peer.network(), played.samples, cut=False)
        self._errands.playing.silent_at = at
        return PlayoutFinished(at, take)

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

    def _ticket(self, take: Take) -> Ticket:
        return Ticket(self.name, take, self._wires.live)

    def _told(self, news: News) -> None:
        self.tell(news)
        if self._wires.keeping is not None:
            self._wires.keeping.told(news)


def _manner(casting: Casting, *, asks_consent: bool) -> Manner:
    """What the agent does of its own accord, in every language that it has: each has the same
    lines."""
    agent, lines = casting.agent, casting.tongue.lines
    return Manner(
        red_flags=RedFlags(phrase for phrases in agent.red_flags.values() for phrase in phrases),
        lines=frozenset(lines),
        dictating=frozenset(line for line, one in lines.items() if asks_for_dictation(one.text)),
        asks_consent=asks_consent,
        hands_off=bool(agent.handoffs),
    )
