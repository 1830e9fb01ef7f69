"""One call's line: a connection to the daemon, and another in its place where it is lost.

    connected ── nothing heard, or given up ──> lost ── back in time ──> connected
        │                                         └── nobody waits ──> over, lost
        └── the daemon hung up ──> over

It does not know devices, or what becomes of what is said.
"""

import asyncio
from collections.abc import Callable, Mapping

from voiced.audio.pcm import HEARING_FRAME
from voiced.clock import now
from voiced.errors import UnavailableError
from voiced.talk.earpiece import Earpiece
from voiced.talk.room import Room
from voiced.testing.caller import Caller
from voiced.testing.exchange import CallOver, Exchange, HttpExchange, Return
from voiced.testing.microphone import Microphone

RETURN_S = 60.0
"""As long as a daemon waits for a caller, unless its configuration says otherwise."""

SILENT_S = 4.0
"""The daemon sends a packet every 20 ms, in silence too."""

_ATTEMPT_S = 8.0
_BETWEEN_S = 1.0
_TURN = "voiced.turn"

Turned = Callable[[Mapping[str, object]], None]
"""Takes each turn's event."""


class Line:
    """`open` first, `close` last; everything on one loop."""

    def __init__(self, exchange: HttpExchange, room: Room, told: Callable[[str], None]) -> None:
        """`told`: "lost" where a line is lost, "back" once there is another."""
        self.returns = 0
        """How often another connection took the place of one that was lost."""
        self.lost = False
        """Whether the call is over because nobody could be reached any more."""
        self._exchange = exchange
        self._room = room
        self._told = told
        self._take_up(exchange)

    async def open(self) -> float:
        """Places the call; the milliseconds that it took. Raises UnavailableError."""
        return await self._caller.open()

    async def follow(self, turned: Turned) -> None:
        """Tells every turn, until the call is over."""
        while await self._loses(turned):
            self._told("lost")
            await self._caller.drop()
            self.lost = not await self._comes_back()
            if self.lost:
                return
            self.returns += 1
            self._told("back")

    async def close(self) -> None:
        """Hangs up."""
        await self._exchange.hang_up()
        await self._caller.drop()

    def _take_up(self, exchange: Exchange) -> None:
        own = Microphone(lambda: self._room.said.take(HEARING_FRAME))
        self._ear = Earpiece(self._room.played.put)
        self._caller = Caller("", exchange=exchange, microphone=own, buffer=self._ear)

    async def _loses(self, turned: Turned) -> bool:
        """Tells turns while it is connected. Whether it was lost, and not hung up, in the end."""
        async with asyncio.TaskGroup() as tasks:
            over = tasks.create_task(_tell(self._caller, turned))
            silent = tasks.create_task(self._ear.silent(SILENT_S))
            await asyncio.wait({over, silent}, return_when=asyncio.FIRST_COMPLETED)
            hung_up = over.done() and not self._caller.lost
            over.cancel()
            silent.cancel()
        return not hung_up

    async def _comes_back(self) -> bool:
        """Tries for as long as it is waited for."""
        until = now() + RETURN_S
        while now() < until:
            self._take_up(Return(self._exchange))
            try:
                async with asyncio.timeout(_ATTEMPT_S):
                    await self._caller.open()
            except CallOver:
                return False
            except (UnavailableError, TimeoutError):
                await asyncio.sleep(_BETWEEN_S)
            else:
                return True
        return False


async def _tell(caller: Caller, turned: Turned) -> None:
    while event := await caller.until_event(_TURN, caller.connected_at, None):
        caller.events.clear()
        turned(event.body)
