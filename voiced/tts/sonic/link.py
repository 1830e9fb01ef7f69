"""One WebSocket to Sonic that is always open, or being opened again; contexts share it.

    voices --attach, send--> [outgoing] --writer--> server
    voices <--[lane]<-- route by context <--reader-- server

A server closes a connection that is idle for minutes: it is opened again at once, so that the next
turn need not wait for it. What arrives for a context that nobody has any more is dropped. It does
not know clauses, or how long anybody waits.
"""

import asyncio
import contextlib
from collections.abc import Mapping
from typing import Protocol
from urllib.parse import urlsplit, urlunsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from voiced.errors import EngineFailed
from voiced.flow.lane import Lane
from voiced.ops import log, metrics
from voiced.tts.sonic import wire

EVENTS = 4096
"""For one context: its reader takes them as they come, so a full lane means that it is stuck."""

_OUTGOING = 256
"""Some messages for each clause of all calls; more wait only when the server does not read."""

_LARGEST_BYTES = 1 << 20
"""Of a message: some seconds of sound."""

_BACKOFF_S = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
_LASTING_S = 5.0
"""A connection that lived this long is opened again without a wait."""

_PING_S = 20.0
_CLOSE_S = 1.0


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

    def send(self, message: wire.Message) -> None:
        """Behind all other. Without a connection it is dropped."""
        ...


class SocketLink:
    """A Link over a WebSocket."""

    def __init__(self, url: str, headers: Mapping[str, str], connect_s: float) -> None:
        """`url`: of the API server, http or https."""
        self._url = _socket_url(url)
        self._headers = dict(headers)
        self._connect_s = connect_s
        self._outgoing: Lane[str] | None = None
        self._settled = asyncio.Event()  # the attempt to connect that counts is over
        self._routes: dict[str, Lane[wire.Event]] = {}

    @property
    def contexts(self) -> int:
        return len(self._routes)

    async def keep(self) -> None:
        """Connects, and connects again, until it is cancelled."""
        misses = 0
        while True:
            lasted_s = await self._guarded()
            misses = 0 if lasted_s >= _LASTING_S else misses + 1
            if misses:
                self._settled.set()
                await asyncio.sleep(_BACKOFF_S[min(misses, len(_BACKOFF_S)) - 1])

    async def open(self) -> None:
        """As `Link.open` says; waits for no more than one attempt to connect."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._connect_s):
                await self._settled.wait()
        if self._outgoing is None:
            raise EngineFailed("tts", "unreachable")

    def attach(self, context: str) -> Lane[wire.Event]:
        lane: Lane[wire.Event] = Lane(EVENTS)
        self._routes[context] = lane
        return lane

    def attached(self, context: str) -> bool:
        return context in self._routes

    def detach(self, context: str) -> None:
        self._routes.pop(context, None)

    def send(self, message: wire.Message) -> None:
        if self._outgoing is not None:
            self._outgoing.put(wire.text(message))

    async def _guarded(self) -> float:
        """`_live`, and 0.0 for whatever goes wrong in it: the calls go on without Sonic."""
        try:
            return await self._live()
        except Exception as error:  # noqa: BLE001 - border: an engine may fail in any way, and no call may end for it
            log.failure("sonic.failed", error)
            return 0.0

    async def _live(self) -> float:
        """One connection, from the attempt to its end; returns how long it was open."""
        loop = asyncio.get_running_loop()
        try:
            socket = await connect(
                self._url,
                additional_headers=self._headers,
                user_agent_header="voiced",
                compression=None,
                proxy=None,
                open_timeout=self._connect_s,
                close_timeout=_CLOSE_S,
                ping_interval=_PING_S,
                ping_timeout=_PING_S,
                max_size=_LARGEST_BYTES,
            )
        except (OSError, WebSocketException, ValueError) as error:
            if not self._settled.is_set():  # once for each time that it was lost
                log.warning("sonic.unreachable", kind=type(error).__name__)
            return 0.0
        opened_at = loop.time()
        log.info("sonic.connected")
        try:
            async with socket:
                await self._converse(socket)
        finally:
            self._outgoing = None
            self._settled.clear()
            self._everybody(wire.Trouble(None, "closed"))
        lasted_s = loop.time() - opened_at
        log.info("sonic.disconnected", seconds=lasted_s)
        return lasted_s

    async def _converse(self, socket: ClientConnection) -> None:
        """Reads until the connection ends, or says what makes no sense."""
        outgoing: Lane[str] = Lane(_OUTGOING)
        async with asyncio.TaskGroup() as tasks:
            writer = tasks.create_task(_write(socket, outgoing), name="sonic-writer")
            self._outgoing = outgoing
            self._settled.set()
            try:
                async for raw in socket:
                    self._route(wire.event(raw))
            except ConnectionClosed:
                pass
            except wire.Garbled:
                # nobody can say whose sound is missing now, so nobody may go on as if none were
                metrics.SONIC_DROPPED.labels("garbled").inc()
                self._everybody(wire.Trouble(None, "garbled"))
            finally:
                writer.cancel()

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


async def _write(socket: ClientConnection, outgoing: Lane[str]) -> None:
    with contextlib.suppress(ConnectionClosed):
        async for message in outgoing:
            await socket.send(message)


def _socket_url(url: str) -> str:
    parts = urlsplit(url)
    scheme = "wss" if parts.scheme == "https" else "ws"
    return urlunsplit((scheme, parts.netloc, parts.path.rstrip("/") + "/tts/websocket", "", ""))
