"""A call's second telephone, at which a person may join: one at a time, over WebRTC.

    offer ──> answered ── connected: Joined ──> the call decides ──> put through
                 └── hung up, lost, never connected: Parted ──> free again

What the caller says goes to the person as soon as they are connected; the caller hears the person
once they are put through. It does not know who may join, or what becomes of the agent meanwhile.
"""

from collections.abc import Callable
from typing import Protocol

from voiced.audit.entries import AdminActed
from voiced.audit.model import Audit
from voiced.call.parts import Source
from voiced.errors import Refused
from voiced.flow.cancel import Take
from voiced.flow.playout import Playout
from voiced.flow.through import Through
from voiced.ops import log
from voiced.rtc.edge import Line
from voiced.rtc.facts import Closed, Connected, PeerFact
from voiced.rtc.inbound import Inbound
from voiced.turn.facts import Joined, Parted


class Connection(Protocol):
    """The person's."""

    async def close(self) -> None:
        """Ends it, within seconds. Idempotent; on the main loop."""


class Edge(Protocol):
    """What answers offers."""

    async def answer(self, offer: str, line: Line, /) -> tuple[str, Connection]:
        """Raises Refused."""


class Extension:
    """One call's. Main loop only, but for what the rtc thread tells."""

    def __init__(
        self,
        call: str,
        edge: Edge,
        caller: Source,
        playout: Playout,
        told: Callable[[Joined | Parted], None],
        audit: Audit,
    ) -> None:
        """`told` is called on any thread, with Parted once for every offer that was answered."""
        self._call = call
        self._edge = edge
        self._caller = caller
        self._playout = playout
        self._told = told
        self._audit = audit
        self._person = ""
        self._inbound: Inbound | None = None
        self._connection: Connection | None = None

    @property
    def taken(self) -> bool:
        """Somebody has it, connected or about to be."""
        return self._inbound is not None

    async def answer(self, offer: str, person: str) -> str:
        """The answer to a person's offer; `person`: the name of their key. Raises Refused."""
        if self.taken:
            raise Refused(409, "taken", "somebody speaks in this call already")
        self._inbound, self._person = Inbound(), person
        line = Line(self._inbound, Through(self._caller.ring), self._hear)
        try:
            answer, self._connection = await self._edge.answer(offer, line)
        except BaseException:
            self._free()
            raise
        log.info("person.joined", call=self._call, by=person)
        self._audit.note(AdminActed(person, "call.joined", self._call))
        return answer

    def put_through(self, take: Take) -> None:
        """The caller hears the person, as long as the take lives."""
        if self._inbound is not None:
            self._playout.person = take, Through(self._inbound.ring)

    def part(self) -> None:
        """The person has gone, as was told."""
        self._free()
        log.info("person.left", call=self._call, by=self._person)
        self._audit.note(AdminActed(self._person, "call.left", self._call))

    async def hang_up(self) -> None:
        """Ends the person's connection, where there is one, within seconds."""
        if self._connection is not None:
            await self._connection.close()

    async def close(self) -> None:
        """The call is over."""
        await self.hang_up()
        if self.taken:
            self.part()

    def _free(self) -> None:
        self._playout.person = None
        if self._inbound is not None:
            self._inbound.close()
        self._inbound = self._connection = None

    def _hear(self, fact: PeerFact) -> None:
        match fact:
            case Connected(at):
                self._told(Joined(at))
            case Closed(at):
                self._told(Parted(at))
            case _:
                pass
