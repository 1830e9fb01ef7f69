"""Tells somebody who can take over a call: the agent's targets in order, until one has answered.

    webhook ──2xx──────────> done     line ──> said to the caller, done
    operator ──acknowledges──> done
       └─20 s without──> the caller is told; the next target

An operator may acknowledge whichever target is being tried: somebody has taken over. No word of the
caller leaves: only that there is a call, and why. A hand-off outlives its call, since who is in
danger may drop the telephone. It does not know when the caller hears a line: that is for the turn
machine.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import assert_never

import aiohttp

from voiced import clock
from voiced.audit.entries import HandedOff, HandOffTried
from voiced.audit.model import NOWHERE, Audit
from voiced.config.agent import Agent, Handoff
from voiced.ops import log, metrics
from voiced.turn.orders import Line, Reason

PATIENCE_S = 20.0
"""Who has not acknowledged by then is passed over."""

_ATTEMPT_S = 5.0
_FIRST_WAIT_S = 0.5
_LONGEST_WAIT_S = 4.0

_LEFT_ALONE = {
    Reason.RED_FLAG: Line.RED_FLAG,
    Reason.FAILURE: Line.FALLBACK,
    Reason.UNGROUNDED: Line.NOT_KNOWN,
}
"""What the caller hears when nobody has taken over."""

Notice = Mapping[str, str]
Post = Callable[[str, Notice], Awaitable[bool]]
"""Sends a notice to a URL as JSON; whether it was acknowledged. Raises nothing."""


@dataclass(frozen=True, slots=True)
class Case:
    """Which call, and why."""

    call: str
    agent: Agent
    reason: Reason

    def notice(self) -> Notice:
        """What is told of it; `id` is the same in every attempt."""
        return {
            "id": f"{self.call}-{self.reason}",
            "call": self.call,
            "agent": self.agent.name,
            "reason": self.reason.value,
            "at": clock.wall().isoformat(timespec="seconds"),
        }


@dataclass(slots=True)
class _Open:
    """A hand-off that nobody has acknowledged yet."""

    case: Case
    notice: Notice
    tell: Callable[[Line], None]
    acknowledged: asyncio.Event = field(default_factory=asyncio.Event)
    """By an operator."""


class HandOffs:
    """All hand-offs of the daemon. Main loop only."""

    def __init__(self, tasks: asyncio.TaskGroup, post: Post, audit: Audit = NOWHERE) -> None:
        """Each is a task of `tasks`, which outlives the calls."""
        self._audit = audit
        self._tasks = tasks
        self._post = post
        self._open: list[_Open] = []

    @property
    def waiting(self) -> list[Notice]:
        """What an operator should see: hand-offs that nobody has acknowledged yet, oldest first."""
        return [one.notice for one in self._open]

    def acknowledge(self, call: str) -> bool:
        """An operator has taken over a call, open or hung up. False: nobody waits for that."""
        found = [one for one in self._open if one.case.call == call]
        for one in found:
            one.tell(Line.TAKEN_OVER)
            one.acknowledged.set()
        return bool(found)

    def begin(self, case: Case, tell: Callable[[Line], None]) -> None:
        """`tell` is called on the main loop with what the caller should hear, as it goes on."""
        log.warning("handoff.begun", call=case.call, agent=case.agent.name, reason=case.reason)
        self._audit.note(HandedOff(case.call, case.agent.name, case.reason.value))
        one = _Open(case, case.notice(), tell)
        self._open.append(one)
        self._tasks.create_task(self._carry_out(one), name=f"handoff-{case.call}")

    async def _carry_out(self, one: _Open) -> None:
        try:
            await self._try_each(one)
        finally:
            self._open.remove(one)

    async def _try_each(self, one: _Open) -> None:
        targets = one.case.agent.handoffs
        for place, target in enumerate(targets, start=1):
            if await self._acknowledged(one, target):
                return
            if place < len(targets) and targets[place].kind != "line":
                one.tell(Line.ONE_MOMENT)
        one.tell(_LEFT_ALONE[one.case.reason])

    async def _acknowledged(self, one: _Open, target: Handoff) -> bool:
        try:
            async with asyncio.timeout(PATIENCE_S):
                await self._reach(one, target)
        except TimeoutError:
            done = False
        else:
            done = True
        result = "acknowledged" if done else "unacknowledged"
        metrics.HANDOFFS.labels(target.kind, result).inc()
        log.info("handoff.tried", call=one.case.call, kind=target.kind, result=result)
        self._audit.note(HandOffTried(one.case.call, target.kind, result))
        return done

    async def _reach(self, one: _Open, target: Handoff) -> None:
        """Returns once somebody has acknowledged, be it the target or an operator."""
        match target.kind:
            case "line":
                one.tell(Line.HAND_OFF)
            case "operator":
                await one.acknowledged.wait()
            case "webhook":
                await self._deliver(one, target.url)
            case _:
                assert_never(target.kind)

    async def _deliver(self, one: _Open, url: str) -> None:
        wait_s = _FIRST_WAIT_S
        while not one.acknowledged.is_set() and not await self._post(url, one.notice):
            with suppress(TimeoutError):
                await asyncio.wait_for(one.acknowledged.wait(), wait_s)
            wait_s = min(wait_s * 2, _LONGEST_WAIT_S)


async def post(url: str, notice: Notice) -> bool:
    """One attempt over HTTP: acknowledged by any 2xx; a redirect is none."""
    deadline = aiohttp.ClientTimeout(total=_ATTEMPT_S)
    try:
        async with (
            aiohttp.ClientSession(timeout=deadline, trust_env=False) as http,
            http.post(url, json=dict(notice), allow_redirects=False) as answer,
        ):
            return 200 <= answer.status < 300
    except (aiohttp.ClientError, TimeoutError, OSError, ValueError):
        return False
