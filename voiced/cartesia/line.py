"""A WebSocket to the vendor's server that is always open, or being opened again.

    send --[outgoing]--writer--> server
    ear.heard <----------reader-- server       ear.lost: the connection is gone, and why

A server closes a connection that is idle for minutes: it is opened again at once, so that the next
turn need not wait for it. It does not know what the messages mean, or how long anybody waits.
"""

import asyncio
import contextlib
from collections.abc import Mapping
from typing import Protocol

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from voiced.cartesia import api
from voiced.flow.lane import Lane
from voiced.ops import log

_OUTGOING = 256
"""Some messages for each clause, or for some seconds of speech; more wait only when the server does
not read."""

_LARGEST_BYTES = 1 << 20
"""Of a message: some seconds of sound."""

_BACKOFF_S = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
_LASTING_S = 5.0
"""A connection that lived this long is opened again without a wait."""

_PING_S = 20.0
_CLOSE_S = 1.0


class Ear(Protocol):
    """Who listens. Main loop only; must not block."""

    def heard(self, raw: str | bytes) -> None:
        """A message. Raises api.Garbled: then the connection is of no more use."""
        ...

    def lost(self, reason: str) -> None:
        """The connection has ended; `reason` is static. What was sent on it is answered no more."""
        ...


class Line:
    """Main loop only."""

    def __init__(
        self, name: str, url: str, headers: Mapping[str, str], connect_s: float, ear: Ear
    ) -> None:
        """`name`: of what is at the other end, for the log; `url`: ws or wss."""
        self._name = name
        self._url = url
        self._headers = dict(headers)
        self._connect_s = connect_s
        self._ear = ear
        self._outgoing: Lane[str | bytes] | None = None
        self._socket: ClientConnection | None = None
        self._settled = asyncio.Event()  # the attempt to connect that counts is over

    async def keep(self) -> None:
        """Connects, and connects again, until it is cancelled."""
        misses = 0
        while True:
            lasted_s = await self._guarded()
            misses = 0 if lasted_s >= _LASTING_S else misses + 1
            if misses:
                self._settled.set()
                await asyncio.sleep(_BACKOFF_S[min(misses, len(_BACKOFF_S)) - 1])

    async def opened(self) -> bool:
        """Whether something can be sent; waits for no more than one attempt to connect."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._connect_s):
                await self._settled.wait()
        return self._outgoing is not None

    def send(self, message: str | bytes) -> None:
        """Behind all other. Without a connection it is dropped."""
        if self._outgoing is not None:
            self._outgoing.put(message)

    def hang_up(self) -> None:
        """Breaks the connection, which is opened again: what was asked on it is not wanted."""
        if self._socket is not None:
            self._socket.transport.abort()

    async def _guarded(self) -> float:
        """`_live`, and 0.0 for whatever goes wrong in it: the calls go on without."""
        try:
            return await self._live()
        except Exception as error:  # noqa: BLE001 - border: an engine may fail in any way, and no call may end for it
            log.failure(f"{self._name}.failed", error)
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
                log.warning(f"{self._name}.unreachable", kind=type(error).__name__)
            return 0.0
        opened_at = loop.time()
        log.info(f"{self._name}.connected")
        reason = "closed"
        try:
            async with socket:
                await self._converse(socket)
        except* api.Garbled:
            reason = "garbled"
        finally:
            self._outgoing = self._socket = None
            self._settled.clear()
            self._ear.lost(reason)
        lasted_s = loop.time() - opened_at
        log.info(f"{self._name}.disconnected", seconds=lasted_s)
        return lasted_s

    async def _converse(self, socket: ClientConnection) -> None:
        """Reads until the connection ends, or says what makes no sense (Garbled)."""
        outgoing: Lane[str | bytes] = Lane(_OUTGOING)
        async with asyncio.TaskGroup() as tasks:
            writer = tasks.create_task(_write(socket, outgoing), name=f"{self._name}-writer")
            self._outgoing, self._socket = outgoing, socket
            self._settled.set()
            try:
                async for raw in socket:
                    self._ear.heard(raw)
            except ConnectionClosed:
                pass
            finally:
                writer.cancel()


async def _write(socket: ClientConnection, outgoing: Lane[str | bytes]) -> None:
    with contextlib.suppress(ConnectionClosed):
        async for message in outgoing:
            await socket.send(message)
