"""What follows a final text: how likely the turn is over, the reply, its tools, its next part.

It does not know when the reply may be heard, nor how it is made.
"""

import asyncio
from collections.abc import Callable, Coroutine

from voiced.call.answering import Answering
from voiced.call.grounding import Kind
from voiced.call.ledger import Ledger
from voiced.call.strain import Measure, Strain
from voiced.call.tools import Tools
from voiced.call.wires import Wires
from voiced.flow.cancel import Take, Ticket
from voiced.turn.facts import EndScored, ToolAsked, ToolReturned, Withheld


class Replying:
    """One call's. Main loop only."""

    def __init__(
        self,
        answering: Answering,
        tools: Tools,
        ledger: Ledger,
        wires: Wires,
        strain: Strain,
        now: Callable[[], float],
    ) -> None:
        self._answering = answering
        self._tools = tools
        self._ledger = ledger
        self._wires = wires
        self._strain = strain
        self._now = now
        self._over = asyncio.Event()
        """The turn of the newest reply is over."""

    def over(self) -> None:
        """The turn that is replied to is over."""
        self._over.set()

    def answer(self, ticket: Ticket) -> Coroutine[None, None, None]:
        """To a text that has just been read. Raises EngineFailed and Stale, as all here.

        From this call on, and not from when the work begins, it may be told that the turn is over.
        """
        self._over = asyncio.Event()
        return self._answer(ticket, self._over)

    async def _answer(self, ticket: Ticket, over: asyncio.Event) -> None:
        likely = await self._answering.likely_over(ticket)
        self._wires.inbox.put(EndScored(self._now(), ticket.take, likely))
        if self._strain.leaves_out(Measure.SPECULATION, self._now()):
            await over.wait()
        await self.proceed(ticket)

    async def proceed(self, ticket: Ticket) -> None:
        """The reply, or its next part; it may need tools before it can go on."""
        made = await self._answering.answer(ticket, self._ledger.watch)
        if ticket.stale:
            return
        if isinstance(made, Kind):
            if self._answering.hands_off:
                self._wires.inbox.put(Withheld(self._now(), ticket.take))
        elif made.calls:
            self._tools.hold(ticket.take, made)
            self._wires.inbox.put(ToolAsked(self._now(), ticket.take))

    async def repeat(self, ticket: Ticket) -> None:
        """The last reply once more."""
        await self._answering.repeat(ticket, self._ledger.watch)

    async def run_tools(self, take: Take, tasks: asyncio.TaskGroup) -> None:
        """What the reply has asked for."""
        await self._tools.run(take, tasks)
        self._wires.inbox.put(ToolReturned(self._now(), take))
