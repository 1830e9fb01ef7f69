"""The caller's end of a WebRTC call, whichever connection it is at the moment.

    offer ──> connected ── line lost ──> nobody there ── another offer ──> connected

Sound lies in the same rings before and after. What the old connection still tells is not passed on
once there is another. It does not know how long a caller is waited for, nor who may come back.
"""

from collections.abc import Callable

from voiced.clock import now
from voiced.flow.playout import Playout
from voiced.rtc.edge import Edge, Line, Peer
from voiced.rtc.facts import Closed, Connected, Lost, Network, PeerFact
from voiced.rtc.inbound import Inbound

NO_NETWORK = Network(0.0, 0.0, 0.0)


class Handset:
    """One call's; see `call.parts.FarEnd`. Main loop only, but for what the rtc thread tells."""

    def __init__(
        self,
        edge: Edge,
        inbound: Inbound,
        playout: Playout,
        told: Callable[[PeerFact | Lost], None],
    ) -> None:
        """`told` is called on any thread: of a caller who was connected it hears Lost instead of
        that the connection was closed, unless he has hung up."""
        self.connected = False
        """Whether the caller has ever been."""
        self._edge = edge
        self._inbound = inbound
        self._playout = playout
        self._told = told
        self._peer: Peer | None = None
        self._number = 0  # of the connection that counts

    async def answer(self, offer: str) -> str:
        """The answer to an offer, whose connection takes the place of the one before.

        Raises Refused; then nobody is there.
        """
        self._number += 1
        number, before, self._peer = self._number, self._peer, None
        if before is not None:
            self._told(Lost(now()))
            await before.close()
        line = Line(self._inbound, self._playout, lambda fact: self._hear(number, fact))
        answer, self._peer = await self._edge.answer(offer, line)
        return answer

    def send(self, text: str) -> None:
        if self._peer is not None:
            self._peer.send(text)

    def network(self) -> Network:
        return self._peer.network() if self._peer is not None else NO_NETWORK

    async def close(self) -> None:
        if self._peer is not None:
            await self._peer.close()

    def _hear(self, number: int, fact: PeerFact) -> None:
        if number != self._number:
            return
        match fact:
            case Connected():
                self.connected = True
                self._told(fact)
            case Closed(at, "lost" | "deadline") if self.connected:
                self._told(Lost(at))
            case _:
                self._told(fact)
