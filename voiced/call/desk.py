"""Answers offers, and keeps the calls that are open: admission, hang-up, drain.

It does not know HTTP: a route gives it an offer and gets an answer or Refused. Nor does it know
what a call's sound travels over: who connects the caller does.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass
from typing import Protocol

from voiced.audit.entries import CallEnded, CallOpened
from voiced.audit.model import NOWHERE, Audit
from voiced.call.call import Call
from voiced.call.extension import Extension
from voiced.call.handoff import HandOffs, Notice, post
from voiced.call.handset import Handset
from voiced.call.keeping import keeping_of
from voiced.call.news import News
from voiced.call.parts import FarEnd, Source
from voiced.call.residents import Residents
from voiced.call.returns import Place, Returns
from voiced.call.roster import UNKNOWN, Access, Listed, Roster
from voiced.call.strain import Measure
from voiced.call.wires import INBOX, Message, Wires, needed
from voiced.clock import now
from voiced.config.settings import Settings
from voiced.errors import Refused
from voiced.flow.cancel import Live
from voiced.flow.lane import Lane
from voiced.flow.playout import Playout
from voiced.ops import log, metrics
from voiced.ops.household import household
from voiced.ops.traces import Trace, nowhere
from voiced.rtc.edge import Edge
from voiced.rtc.facts import Lost, PeerFact
from voiced.rtc.inbound import Inbound
from voiced.vault.model import Safe
from voiced.words import Words

RETRY_AFTER_S = 30
HALF_OPEN_RETRY_S = 2


class Client(Protocol):
    """A caller's program, at the other end of the call's data channel. Main loop only."""

    def told(self, news: News) -> None:
        """Something has happened. Must not block."""

    def received(self, message: Words) -> None:
        """The program has sent something. Must not block or raise."""


Present = Callable[[Callable[[str], None], Call], Client]
"""Given the way to send text to a caller, and the call: who speaks with the caller's program."""


@dataclass(frozen=True, slots=True)
class Wiring:
    """What a call gives whoever connects its caller."""

    playout: Playout
    """What the caller is to hear."""
    told: Callable[[PeerFact | Lost], None]
    """Any thread; must not block."""
    opened: AsyncExitStack
    """Closes with the call: what was opened last goes first."""


Connect = Callable[[Wiring], Awaitable[tuple[Source, FarEnd]]]
"""Connects a caller: what the caller is heard saying, and the caller's end. Raises Refused."""


@dataclass(frozen=True, slots=True)
class Answered:
    """An offer that became a call."""

    call: str
    sdp: str
    token: str
    """For one return, should the line be lost."""


class Desk:
    """All calls of the daemon. Main loop only."""

    def __init__(
        self,
        edge: Edge,
        settings: Settings,
        present: Present,
        audit: Audit = NOWHERE,
        safe: Safe | None = None,
    ) -> None:
        """`safe`: where the calls of agents that ask for it are kept, if their callers agree."""
        self._audit = audit
        self._safe = safe
        self.trace: Trace = nowhere
        """Takes each turn's trace; replaced where the site has a collector."""
        self._edge = edge
        self._settings = settings
        self._present = present
        self._residents: Residents | None = None
        self._tasks: asyncio.TaskGroup
        self._hand_offs: HandOffs
        self._roster = Roster()
        self._handsets: dict[Handset, str] = {}
        """Those of calls by WebRTC, and the address that each was offered from."""
        self._returns = Returns()
        self._answering = 0
        self._changed = asyncio.Event()
        self._draining = False

    @property
    def calls(self) -> int:
        """Calls that are open, or being opened."""
        return len(self._roster) + self._answering

    @property
    def live(self) -> list[Listed]:
        """Calls that are open, the oldest first."""
        return self._roster.listed()

    @property
    def budget(self) -> Mapping[str, int]:
        """What each leg of a turn may take here, in ms, unless an agent says otherwise."""
        return asdict(self._settings.budget)

    @property
    def most(self) -> int:
        """How many calls may be open at once; 0 while nothing is loaded."""
        if self._residents is None:
            return 0
        slots = self._residents.llm.slots
        limits = (self._settings.calls.max, self._residents.capacity, slots)
        return min(slots, next(limit for limit in limits if limit is not None))

    @property
    def agents(self) -> list[str]:
        """Who answers here; first of them who answers a caller that names none."""
        here = self._residents
        return (
            sorted(here.agents, key=lambda name: (name != here.default_agent, name)) if here else []
        )

    def open(self, residents: Residents, tasks: asyncio.TaskGroup) -> None:
        """From now on calls are answered; until then offers are refused.

        Each call is a task of `tasks`, the same each time; a call that fails does not fail it.
        """
        if self._residents is None:  # what a reload finds under way goes on
            self._tasks = tasks
            self._hand_offs = HandOffs(tasks, post, self._audit)
        self._residents = residents
        metrics.SLOTS.set(self.most)

    async def answer(
        self,
        offer: str,
        agent: str | None,
        present: Present | None = None,
        access: Access = UNKNOWN,
    ) -> Answered:
        """Answers an offer and begins the call; `present` in place of the desk's own.

        Raises Refused.
        """
        answered = ""
        handset: Handset
        origin = household(access.origin)

        async def connect(wiring: Wiring) -> tuple[Source, FarEnd]:
            nonlocal answered, handset
            inbound = Inbound()
            wiring.opened.callback(inbound.close)
            handset = Handset(self._edge, inbound, wiring.playout, wiring.told)
            self._handsets[handset] = origin
            wiring.opened.callback(self._handsets.pop, handset)
            wiring.opened.push_async_callback(handset.close)
            answered = await handset.answer(offer)
            return inbound, handset

        self._check_half_open(origin)
        call = await self.connect(connect, agent, present, access)
        return Answered(call.name, answered, self._returns.issue(Place(call.name, handset)))

    async def resume(self, offer: str, token: str, present: Present | None = None) -> Answered:
        """Goes on with a call over another connection; the one before is closed, if it is not.

        Raises Refused.
        """
        with self._returns.redeem(token) as place:
            answered = await place.handset.answer(offer)
            try:
                call = self._roster.find(place.call)  # it may have ended meanwhile
            except Refused:
                await place.handset.close()
                raise
            client = (present or self._present)(place.handset.send, call)
            call.tell, call.received = client.told, client.received
        log.info("call.resumed", call=call.name)
        return Answered(call.name, answered, self._returns.issue(place))

    async def connect(
        self,
        connect: Connect,
        agent: str | None,
        present: Present | None = None,
        access: Access = UNKNOWN,
    ) -> Call:
        """Begins the call of a caller that `connect` connects, once there is room for it.

        Raises Refused.
        """
        residents = self._admit()
        casting = residents.cast(agent)
        name = secrets.token_hex(8)
        self._answering += 1
        try:
            async with AsyncExitStack() as opened:
                engines = residents.engines(casting, name)
                opened.callback(engines.close)
                metrics.SLOTS_TAKEN.inc()
                opened.callback(metrics.SLOTS_TAKEN.dec)
                inbox: Lane[Message] = Lane(INBOX, needed)
                live = Live()
                playout = Playout(live, inbox.put)
                opened.callback(playout.close)
                keeping = keeping_of(name, casting, self._safe)
                playout.tap = keeping.tap if keeping is not None else None
                source, peer = await connect(Wiring(playout, inbox.put, opened))
                if keeping is not None:
                    self._tasks.create_task(keeping.run(), name=f"keeping-{name}")
                    opened.callback(keeping.close)
                extension = Extension(name, self._edge, source, playout, inbox.put, self._audit)
                opened.push_async_callback(extension.close)
                wires = Wires(
                    inbox, source, playout, live, self._hand_offs, extension, keeping, self.trace
                )
                call = Call(name, casting, engines, wires, self._settings, now)
                client = (present or self._present)(peer.send, call)
                call.tell, call.received = client.told, client.received
                self._roster.enter(call, access)
                living = self._live(call, peer, opened.pop_all(), access)
                self._tasks.create_task(living, name=f"call-{name}")
        finally:
            self._answering -= 1
            self._changed.set()
        return call

    def check_agent(self, name: str | None) -> None:
        """Raises Refused (404) when there is no agent of that name, 503 while still loading."""
        if self._residents is None:
            raise Refused(503, "starting", "this server is still loading", RETRY_AFTER_S)
        self._residents.cast(name)

    def check(self, name: str) -> None:
        """Raises Refused (404) when no call of that name is open."""
        self._roster.find(name)

    def hang_up(self, name: str) -> None:
        """Ends a call at once. Raises Refused (404) when there is none of that name."""
        self._roster.find(name).hang_up()

    def extension(self, name: str) -> Extension:
        """Where a person joins a call. Raises Refused: 404, or 409 where nobody was asked to."""
        extension = self._roster.find(name).extension
        if extension is None:
            raise Refused(409, "not-handed-off", "this call has not asked for a person")
        return extension

    def waiting(self) -> list[Notice]:
        """Hand-offs that nobody has acknowledged yet: call, agent, reason, since when."""
        return self._hand_offs.waiting if self._residents is not None else []

    def acknowledge(self, name: str) -> None:
        """An operator has taken over a call, which may have ended by now.

        Raises Refused (404) when no hand-off of a call of that name waits.
        """
        if self._residents is None or not self._hand_offs.acknowledge(name):
            raise Refused(404, "nobody-waits", "no hand-off of a call of that name waits")

    async def drain(self, patience_s: float) -> None:
        """Takes no more calls; lets the present ones go on for a while, then says goodbye."""
        self.shut()
        try:
            async with asyncio.timeout(patience_s):
                await self.empty()
        except TimeoutError:
            await self.empty(leaving=True)

    async def lose(self, patience_s: float) -> None:
        """The engines are gone: takes no more calls, tells each caller, and ends what is left."""
        self.shut()
        for call in self._roster:
            call.lose()
        try:
            async with asyncio.timeout(patience_s):
                await self.empty()
        except TimeoutError:
            for call in self._roster:
                call.hang_up()
            await self.empty()

    def shut(self) -> None:
        """Takes no more calls; the present ones go on, however long."""
        self._draining = True

    def reopen(self) -> None:
        """Takes calls again."""
        self._draining = False

    async def empty(self, *, leaving: bool = False) -> None:
        """Waits until no call is open.

        `leaving`: every call says goodbye, those that are still being opened as well.
        """
        while self._roster or self._answering:
            for call in self._roster if leaving else ():
                call.leave()  # who leaves already goes on leaving
            self._changed.clear()
            await self._changed.wait()

    def _check_half_open(self, origin: str) -> None:
        """Raises Refused (429) where too many calls of one origin have not connected yet."""
        waiting = [
            one for one, whose in self._handsets.items() if whose == origin and not one.connected
        ]
        if len(waiting) >= self._settings.rtc.half_open_per_address:
            told = "calls from this address have not connected yet: wait for them"
            raise Refused(429, "half-open", told, HALF_OPEN_RETRY_S)

    def _admit(self) -> Residents:
        if self._residents is None:
            raise Refused(503, "starting", "this server is still loading", RETRY_AFTER_S)
        if self._draining:
            raise Refused(503, "draining", "this server takes no more calls", RETRY_AFTER_S)
        if self.calls >= self.most:
            raise Refused(503, "full", "every line is taken; try again soon", RETRY_AFTER_S)
        # a machine without calls is not slow because of them: refusing would help nobody
        if self.calls and self._residents.strain.leaves_out(Measure.CALLS, now()):
            raise Refused(503, "strained", "too slow for one more; try again soon", RETRY_AFTER_S)
        return self._residents

    async def _live(self, call: Call, peer: FarEnd, opened: AsyncExitStack, access: Access) -> None:
        """One call from offer to close; the border that keeps its failure from the others."""
        metrics.CALLS.inc()
        metrics.CALLS_OPENED.inc()
        log.info("call.opened", call=call.name)
        agent = call.casting.agent.name
        self._audit.note(CallOpened(call.name, agent, access.origin, access.key))
        reason = "failed"
        try:
            async with opened:
                reason = await call.run(peer)
        except Exception as error:  # noqa: BLE001 - border: one call may fail in any way, and only that call may end
            log.failure("call.failed", error, call=call.name)
        finally:
            seconds = self._roster.strike(call)
            self._returns.forget(call.name)
            self._changed.set()
            metrics.CALLS.dec()
            metrics.CALLS_CLOSED.labels(reason).inc()
            log.info("call.closed", call=call.name, reason=reason)
            self._audit.note(CallEnded(call.name, reason, seconds))
