"""A caller: places a WebRTC call, speaks recordings into it, and measures what comes back.

Used by `voiced call`, by the benchmarks and by the tests; the daemon cannot tell it from a browser.
It does not know what ought to be said: that is `script`'s.
"""

import asyncio
import json
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiortc import RTCDataChannel, RTCSessionDescription

from voiced import clock
from voiced.audio import file
from voiced.audio.pcm import HEARING_HZ, Pcm
from voiced.errors import UnavailableError
from voiced.rtc import ice
from voiced.testing.ear import Ear, Heard
from voiced.testing.exchange import Exchange, HttpExchange
from voiced.testing.microphone import Microphone, Said

LABEL = "oai-events"
_CONNECT_S = 15.0


@dataclass(frozen=True, slots=True)
class Event:
    """A message of the daemon's on the data channel."""

    at: float
    body: dict[str, Any]


class Caller:
    """One call. `open` first, `close` last; everything on one loop."""

    def __init__(
        self,
        url: str,
        token: str | None = None,
        exchange: Exchange | None = None,
        microphone: Microphone | None = None,
        buffer: ice.Buffer | None = None,
    ) -> None:
        """`exchange` replaces HTTP, for a daemon in the same process; `buffer` takes what is heard
        in the place of the ear."""
        self._exchange = exchange or HttpExchange(url, token)
        self._connection = ice.peer_connection()
        self._microphone = microphone or Microphone()
        self._changed = asyncio.Event()
        self._told = asyncio.Event()
        self._channel: RTCDataChannel | None = None
        self.ear = Ear()
        self._buffer = buffer or self.ear
        self.connected_at = 0.0
        self.lost = False
        """Whether the connection ended because nobody answered on it any more."""
        self.events: list[Event] = []

    @property
    def over(self) -> bool:
        """Whether the connection has ended, from whichever side."""
        return self._connection.connectionState in ("failed", "closed")

    async def open(self) -> float:
        """Connects; returns the milliseconds from the offer's making. Raises UnavailableError."""
        began = clock.now()
        self._connection.on("connectionstatechange", self._wake)
        self._connection.addTrack(self._microphone)
        ice.replace_buffer(self._connection.getTransceivers()[0].receiver, self._buffer)
        self._channel = self._connection.createDataChannel(LABEL)
        self._channel.on("message", self._received)
        ice.bind_to(self._connection, _local_address(self._exchange.host))
        try:
            await self._connection.setLocalDescription(await self._connection.createOffer())
            answer = await self._exchange.offer(self._connection.localDescription.sdp)
            await self._connection.setRemoteDescription(RTCSessionDescription(answer, "answer"))
            async with asyncio.timeout(_CONNECT_S):
                await self._until_connected()
        except TimeoutError:
            await self.close()
            raise UnavailableError("the daemon answered, but no media came through") from None
        except BaseException:
            await self.close()
            raise
        self.connected_at = clock.now()
        return (self.connected_at - began) * 1000.0

    async def say(
        self, sound: Pcm | Path, after_silence_ms: int | None = 600, at: float | None = None
    ) -> Said:
        """Speaks 16 kHz PCM or a recording, in real time: after so much silence of the agent's, or
        at an instant, which counts alone where it is given. Raises ConnectionError when the call
        is over."""
        pcm = file.read(sound, HEARING_HZ) if isinstance(sound, Path) else sound
        if at is not None:
            await asyncio.sleep(max(at - clock.now(), 0.0))
        elif after_silence_ms is not None:
            await self.until_quiet(after_silence_ms)
        return await self._microphone.say(pcm)

    def heard(self) -> Heard:
        """Levels of all that was heard."""
        return self.ear.heard()

    def onset_after(self, instant: float) -> float | None:
        """The first instant from which the agent is audible: above -45 dBFS for 20 ms."""
        return self.ear.onset(instant)

    async def until_quiet(self, ms: int, since: float | None = None) -> None:
        """Waits until the agent has been silent for so long, counted from `since` on."""
        begin = self.connected_at if since is None else since
        while True:
            left = self.ear.quiet_since(begin) + ms / 1000.0 - clock.now()
            if left <= 0.0:
                return
            await asyncio.sleep(left)

    async def until_onset(self, since: float, limit_s: float) -> float | None:
        """Waits until the agent is audible; None when that does not happen in time, or no more."""
        try:
            async with asyncio.timeout(limit_s):
                while (found := self.ear.onset(since)) is None:
                    if self.over:
                        return None
                    self.ear.arrived.clear()
                    await self.ear.arrived.wait()
                return found
        except TimeoutError:
            return None

    async def until_event(self, kind: str, since: float, limit_s: float | None) -> Event | None:
        """Waits for a message of that type; None when none comes in time, or no more."""
        try:
            async with asyncio.timeout(limit_s):
                while True:
                    for event in self.events:
                        if event.at >= since and event.body.get("type") == kind:
                            return event
                    if self.over:
                        return None
                    self._told.clear()
                    await self._told.wait()
        except TimeoutError:
            return None

    def send(self, body: dict[str, Any]) -> None:
        """Sends a message on the data channel."""
        if self._channel is None or self._channel.readyState != "open":
            raise UnavailableError("the data channel is not open")
        self._channel.send(json.dumps(body))

    def record(self, path: Path) -> None:
        """Writes what was heard so far, 16 kHz WAV."""
        self.ear.write(path)

    async def close(self) -> None:
        """Hangs up. Idempotent."""
        await self._exchange.hang_up()
        await self.drop()

    async def drop(self) -> None:
        """Ends the connection, and not the call. Idempotent."""
        await self._connection.close()

    async def _until_connected(self) -> None:
        while self._connection.connectionState != "connected":
            if self.over:
                raise UnavailableError("the daemon closed the connection while it was being made")
            self._changed.clear()
            await self._changed.wait()

    def _wake(self) -> None:
        """The connection's state has changed: nobody may wait for what will not come."""
        self.lost = self.lost or (self.over and ice.given_up(self._connection))
        for event in (self._changed, self._told, self.ear.arrived):
            event.set()

    def _received(self, message: str | bytes) -> None:
        try:
            body = json.loads(message)
        except ValueError:
            return
        if isinstance(body, dict):
            self.events.append(Event(clock.now(), body))
            self._told.set()


def _local_address(host: str) -> str:
    """Our address on the way to a host. Nothing is sent: connecting a UDP socket only routes."""
    try:
        found = socket.getaddrinfo(host, 9, type=socket.SOCK_DGRAM)[0]
        with socket.socket(found[0], socket.SOCK_DGRAM) as sock:
            sock.connect(found[4])
            return str(sock.getsockname()[0])
    except OSError:
        raise UnavailableError(f"{host}: there is no way to that host from here") from None
