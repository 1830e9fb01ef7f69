"""Tells somebody who can take over a call: the agent's targets in order, until one has answered.

    webhook ──2xx──> done            line ──> said to the caller, done
       └─20 s without──> the caller is told; the next target

No word of the caller leaves: only that there is a call, and why. A hand-off outlives its call,
since who is in danger may drop the telephone. It does not know when the caller hears a line: that
is for the turn machine.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import assert_never

import aiohttp

from voiced import clock
from voiced.config.agent import Agent, Handoff
from voiced.ops import log, metrics
from voiced.turn.orders import Line, Reason

PATIENCE_S = 20.0
"""A webhook that has not acknowledged by then is passed over."""

_ATTEMPT_S = 5.0
_FIRST_WAIT_S = 0.5
_LONGEST_WAIT_S = 4.0

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


class HandOffs:
    """All hand-offs of the daemon. Main loop only."""

    def __init__(self, tasks: asyncio.TaskGroup, post: Post) -> None:
        """Each is a task of `tasks`, which outlives the calls."""
        self._tasks = tasks
        self._post = post

    def begin(self, case: Case, tell: Callable[[Line], None]) -> None:
        """`tell` is called on the main loop with what the caller should hear, as it goes on."""
        log.warning("handoff.begun", call=case.call, agent=case.agent.name, reason=case.reason)
        self._tasks.create_task(self._carry_out(case, tell), name=f"handoff-{case.call}")

    async def _carry_out(self, case: Case, tell: Callable[[Line], None]) -> None:
        notice = case.notice()
        targets = case.agent.handoffs
        for place, target in enumerate(targets, start=1):
            if await self._acknowledged(case, target, notice, tell):
                return
            if place < len(targets) and targets[place].kind != "line":
                tell(Line.ONE_MOMENT)
        tell(Line.RED_FLAG if case.reason is Reason.RED_FLAG else Line.FALLBACK)

    async def _acknowledged(
        self, case: Case, target: Handoff, notice: Notice, tell: Callable[[Line], None]
    ) -> bool:
        match target.kind:
            case "line":
                tell(Line.HAND_OFF)
                done = True
            case "webhook":
                done = await self._delivered(target.url, notice)
            case "operator":
                done = False  # nobody watches the calls who could acknowledge
            case _:
                assert_never(target.kind)
        result = "acknowledged" if done else "unacknowledged"
        metrics.HANDOFFS.labels(target.kind, result).inc()
        log.info("handoff.tried", call=case.call, kind=target.kind, result=result)
        return done

    async def _delivered(self, url: str, notice: Notice) -> bool:
        wait_s = _FIRST_WAIT_S
        try:
            async with asyncio.timeout(PATIENCE_S):
                while not await self._post(url, notice):
                    await asyncio.sleep(wait_s)
                    wait_s = min(wait_s * 2, _LONGEST_WAIT_S)
        except TimeoutError:
            return False
        return True


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
