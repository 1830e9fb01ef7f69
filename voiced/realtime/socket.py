"""A caller at the other end of a WebSocket: messages both ways, and sound as messages.

    playout ──> pulse, every 20 ms ──> what was played (to `sounded`) ──> queue ──> socket
    socket ──> messages (to `received`)

The pulse plays a fifth of a second ahead, so that a program that plays what it gets has something
to play while the network hesitates. While the program does not read, the playout waits: what is not
sent is not heard. Who does not read for long, or is not heard from, is let go.

It does not know what the messages say.
"""

import asyncio
import struct
from collections import deque
from collections.abc import Callable
from contextlib import suppress

from aiohttp import WSCloseCode, WSMsgType, web

from voiced import clock
from voiced.audio.pcm import FRAME_S, Pcm
from voiced.flow.playout import Playout
from voiced.ops import log, metrics
from voiced.realtime.intake import Intake
from voiced.rtc.facts import Closed, Connected, Network, PeerFact, Reason
from voiced.rtc.outbound import Pace
from voiced.turn.take import Take
from voiced.words import Words

LARGEST = 256 * 1024
"""Bytes of a message: some four seconds of sound. A larger one ends the call."""

AHEAD = 10
"""Frames."""

_MOST_QUEUED_BYTES = 256 * 1024
_BUSY_BYTES = 32 * 1024
"""Of half a second of sound: no more is played until it has gone."""

_PING_S = 5.0
_SILENT_S = 20.0
_STALLED_S = 10.0
_CLOSE_S = 1.5
_STAMP = struct.Struct("!d")

Sounded = Callable[[Take, Pcm], None]
"""Takes what was played, in the order in which it is to be heard."""


class SocketPeer:
    """One call's; see `call.parts.FarEnd`. Main loop only."""

    def __init__(
        self,
        socket: web.WebSocketResponse,
        intake: Intake,
        playout: Playout,
        told: Callable[[PeerFact], None],
        now: Callable[[], float] = clock.now,
    ) -> None:
        self.sounded: Sounded = lambda _take, _pcm: None
        """Who tells the program; replaced by whoever speaks with it."""
        self.intake = intake
        self._socket = socket
        self._playout = playout
        self._told = told
        self._now = now
        self._queue: deque[str] = deque()
        self._queued_bytes = 0
        self._arrived = asyncio.Event()
        self._heard_at = self._now()
        self._rtt_s = 0.0
        self._ahead = 0
        self._over = asyncio.Event()
        self._closed = False

    # -- for the call ----------------------------------------------------------------------------

    def send(self, text: str) -> None:
        """Puts a message behind those that wait."""
        if self._closed:
            return
        if self._queued_bytes > _MOST_QUEUED_BYTES:
            metrics.MESSAGES_DROPPED.labels("unread").inc()
            self.end("lost")
            return
        self._queue.append(text)
        self._queued_bytes += len(text)
        self._arrived.set()

    def network(self) -> Network:
        """The round trip is that of the last ping, whatever it waited for on its way."""
        ahead_ms = self._ahead * FRAME_S * 1000.0
        return Network(self._rtt_s * 1000.0, 0.0, 0.0, ahead_ms)

    async def close(self) -> None:
        self.end("closed")

    def end(self, reason: Reason) -> None:
        """Tells that it is over; only the first reason counts."""
        if not self._closed:
            self._closed = True
            self._told(Closed(self._now(), reason))
            self._over.set()

    # -- for the route ---------------------------------------------------------------------------

    async def serve(self, received: Callable[[Words], None]) -> None:
        """Until the call is over, by whichever side."""
        self._told(Connected(self._now()))
        try:
            async with asyncio.TaskGroup() as tasks:
                running = [
                    tasks.create_task(self._read(received)),
                    tasks.create_task(self._write()),
                    tasks.create_task(self._pulse()),
                    tasks.create_task(self._ping()),
                ]
                await self._over.wait()
                for task in running:
                    task.cancel()
        except* Exception as failed:  # noqa: BLE001 - a call's border: others go on
            log.failure("peer.failed", failed.exceptions[0])
        finally:
            self.end("lost")
            await self._say_goodbye()

    async def _read(self, received: Callable[[Words], None]) -> None:
        async for message in self._socket:
            self._heard_at = self._now()
            match message.type:
                case WSMsgType.TEXT:
                    received(Words(message.data))
                case WSMsgType.PING:
                    await self._socket.pong(message.data)
                case WSMsgType.PONG if len(message.data) == _STAMP.size:
                    self._rtt_s = max(self._now() - _STAMP.unpack(message.data)[0], 0.0)
                case _:
                    pass
            await self._until_room()
        self.end("hangup")

    async def _until_room(self) -> None:
        """Reads no further while sound waits that time has not passed for: the program may wait."""
        self._heard_at = float("inf")
        await self.intake.room()
        self._heard_at = self._now()

    async def _write(self) -> None:
        while True:
            while self._queue:
                text = self._queue.popleft()
                try:
                    async with asyncio.timeout(_STALLED_S):
                        await self._socket.send_str(text)
                except (TimeoutError, ConnectionError):
                    return self.end("lost")
                self._queued_bytes -= len(text)
            self._arrived.clear()
            await self._arrived.wait()

    async def _ping(self) -> None:
        while self._now() - self._heard_at < _SILENT_S:
            with suppress(ConnectionError):
                await self._socket.ping(_STAMP.pack(self._now()))
            await asyncio.sleep(_PING_S)
        self.end("lost")

    async def _pulse(self) -> None:
        loop = asyncio.get_running_loop()
        pace = Pace()
        while True:
            await asyncio.sleep(max(pace.due(loop.time()) - loop.time(), 0.0))
            at = loop.time()
            before = pace.frame
            metrics.LATENESS_MS.observe(pace.sent(at) * 1000.0)
            self._ahead = max(self._ahead - (pace.frame - before), 0)
            self.intake.fill(at)
            if self._queued_bytes < _BUSY_BYTES:
                self._play(at)

    def _play(self, at: float) -> None:
        """Frames until enough of them lie at the caller's; none, once nothing is to be heard."""
        while self._ahead < AHEAD:
            if self._ahead and not self._playout.waiting:
                return  # what was sent is still being heard: it is early to tell that it ended
            before = self._playout.cursor
            frame = self._playout.tick(at)
            if self._playout.cursor == before:
                return
            self._ahead += 1
            self.sounded(self._playout.cursor.take, frame)

    async def _say_goodbye(self) -> None:
        """Sends what waits, where it is read, and closes."""
        with suppress(TimeoutError, ConnectionError, RuntimeError):
            async with asyncio.timeout(_CLOSE_S):
                while self._queue:
                    await self._socket.send_str(self._queue.popleft())
                await self._socket.close(code=WSCloseCode.OK)
        self._queue.clear()
