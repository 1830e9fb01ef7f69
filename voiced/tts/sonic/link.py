"""One WebSocket to Sonic, which all contexts share.

    voices --attach, send--> line --> server
    voices <--[lane]<-- route by context <-- line <-- server

What arrives for a context that nobody has any more is dropped. It does not know clauses, or how
long anybody waits.
"""

from collections.abc import Mapping
from typing import Protocol

from voiced.cartesia import api
from voiced.cartesia.line import Line
from voiced.errors import EngineFailed
from voiced.flow.lane import Lane
from voiced.ops import metrics
from voiced.tts.sonic import wire

EVENTS = 4096
"""For one context: its reader takes them as they come, so a full lane means that it is stuck."""


class Link(Protocol):
    """The way to the server, shared by all contexts. Main loop only."""

    @property
    def contexts(self) -> int:
        """How many are attached."""
        ...

    async def open(self) -> None:
        """Returns when something can be sent. Raises EngineFailed when it cannot, soon."""
        ...

    def attach(self, context: str) -> Lane[wire.Event]:
        """What comes for a context goes into the lane, until `detach` or the connection's end."""
        ...

    def attached(self, context: str) -> bool:
        """Whether the connection on which the context was attached is still there."""
        ...

    def detach(self, context: str) -> None:
        """Nobody wants the rest. Idempotent."""
        ...

    def send(self, message: api.Message) -> None:
        """Behind all other. Without a connection it is dropped."""
        ...


class SocketLink:
    """A Link over a WebSocket, and its line's Ear."""

    def __init__(self, url: str, headers: Mapping[str, str], connect_s: float) -> None:
        """`url`: of the API server, http or https."""
        socket = api.socket_url(url, "/tts/websocket")
        self._line = Line("sonic", socket, headers, connect_s, self)
        self._routes: dict[str, Lane[wire.Event]] = {}

    @property
    def contexts(self) -> int:
        return len(self._routes)

    async def keep(self) -> None:
        """Connects, and connects again, until it is cancelled."""
        await self._line.keep()

    async def open(self) -> None:
        """As `Link.open` says; waits for no more than one attempt to connect."""
        if not await self._line.opened():
            raise EngineFailed("tts", "unreachable")

    def attach(self, context: str) -> Lane[wire.Event]:
        lane: Lane[wire.Event] = Lane(EVENTS)
        self._routes[context] = lane
        return lane

    def attached(self, context: str) -> bool:
        return context in self._routes

    def detach(self, context: str) -> None:
        self._routes.pop(context, None)

    def send(self, message: api.Message) -> None:
        self._line.send(wire.text(message))

    def heard(self, raw: str | bytes) -> None:
        """See Ear. Of what makes no sense nobody can say whose sound is missing now, so nobody may
        go on as if none were."""
        try:
            self._route(wire.event(raw))
        except api.Garbled:
            metrics.SONIC_DROPPED.labels("garbled").inc()
            raise

    def lost(self, reason: str) -> None:
        """See Ear."""
        self._everybody(wire.Trouble(None, reason))

    def _route(self, event: wire.Event | None) -> None:
        if event is None:
            return
        if event.context is None:
            if isinstance(event, wire.Trouble):
                self._everybody(event)
            return
        lane = self._routes.get(event.context)
        if lane is not None:
            lane.put(event)
        elif isinstance(event, wire.Chunk):
            metrics.SONIC_DROPPED.labels("late").inc()

    def _everybody(self, trouble: wire.Trouble) -> None:
        """Tells every context, and forgets it: it must not be gone on with."""
        for lane in self._routes.values():
            lane.put(trouble)
        self._routes.clear()
