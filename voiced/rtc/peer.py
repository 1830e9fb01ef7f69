"""One caller's connection: from an answered offer to Closed, told exactly once.

    answered ── connected in time ──> connected ── hangup, lost, closed ──> closed
        └────── deadline ─────────────────────────────────────────────────────^

A caller whose program offers a data channel is told to be connected once it is open, or a moment
later: so that the captions of a greeting are not behind its sound.

Its public methods belong to the call, on the main loop or any thread; what the rtc loop calls says
so. It does not know what the messages say, or who speaks.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass

from aiortc import RTCDataChannel, RTCPeerConnection, RTCRtpTransceiver
from aiortc.mediastreams import MediaStreamError
from aiortc.stats import RTCInboundRtpStreamStats, RTCRemoteInboundRtpStreamStats

from voiced import clock
from voiced.config.settings import Rtc
from voiced.flow.through import Frames
from voiced.ops import log, metrics
from voiced.rtc import ice
from voiced.rtc.facts import (
    ChannelOpened,
    Closed,
    Connected,
    Network,
    PeerFact,
    Reason,
    Received,
)
from voiced.rtc.inbound import Inbound
from voiced.rtc.legs import Legs
from voiced.rtc.outbound import Outbound
from voiced.words import Words

LABELS = ("oai-events", "chat")
"""Data channels that callers' programs open: OpenAI's clients, pipecat's."""

_MOST_QUEUED = 50
"""Messages before the channel is open: the events of a greeting."""

_MOST_BUFFERED_BYTES = 65_536
"""Beyond this the caller does not read, and newer messages are dropped."""

_MOST_UNFINISHED = 1000
"""Pieces; the largest message that we accept comes in some 220."""

_CHANNEL_S = 0.5
"""A channel takes two round trips more than sound. One that takes longer has lost a packet; its
messages wait for it, and the caller does not."""

_CLOSE_S = 1.5
_CLOSED_S = 2.0


@dataclass(frozen=True, slots=True)
class Line:
    """What a call gives its peer to work with."""

    inbound: Inbound
    playout: Frames
    told: Callable[[PeerFact], None]
    """Called on the rtc thread; must not block."""


class Peer:
    """Made on the rtc loop by the edge; `tasks` is the edge's group."""

    def __init__(
        self,
        connection: RTCPeerConnection,
        legs: Legs,
        line: Line,
        tasks: asyncio.TaskGroup,
        rtp_hz: int,
    ) -> None:
        self._rtp_hz = rtp_hz
        self._connection = connection
        self._legs = legs
        self._line = line
        self._tasks = tasks
        self._loop = asyncio.get_running_loop()
        self._answered_at = clock.now()
        self._connected = False
        self._announced = False
        self._channel: RTCDataChannel | None = None
        self._queued: deque[str] = deque()
        self._network = Network(0.0, 0.0, 0.0)
        self._counted = {"received": 0, "lost": 0}
        self._closing: asyncio.Task[None] | None = None
        self._ticking: asyncio.Task[None] | None = None
        connection.on("connectionstatechange", self._changed)
        connection.on("datachannel", self._opened)
        self._transceiver.receiver.transport.on("statechange", self._changed)

    # -- for the call ---------------------------------------------------------------------------

    def send(self, text: str) -> None:
        """Sends a message on the caller's channel, as soon as there is one. Any thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._send, text)

    async def close(self) -> None:
        """Ends the connection, within two seconds. Idempotent; on the main loop."""
        if self._loop.is_closed():
            return
        done: Future[None] = asyncio.run_coroutine_threadsafe(self.shut("closed"), self._loop)
        await asyncio.wait({asyncio.wrap_future(done)}, timeout=_CLOSED_S)

    def network(self) -> Network:
        """The line's quality as of the last second. Any thread."""
        return self._network

    # -- for the edge, on the rtc loop -----------------------------------------------------------

    @property
    def closed(self) -> bool:
        return self._closing is not None and self._closing.done()

    def watch(self, at: float, settings: Rtc) -> None:
        """Ends the connection where a deadline has passed, or messages are begun and not ended."""
        if not self._connected:
            if at - self._answered_at > settings.connect_deadline_ms / 1000.0:
                self.end("deadline")
        elif at - self._legs.received_at > settings.silent_deadline_ms / 1000.0:
            self.end("lost")
        elif ice.unfinished(self._connection) > _MOST_UNFINISHED:
            self.end("closed")

    async def measure(self) -> None:
        """Reads the RTCP reports."""
        if self._closing is not None or not self._connected:
            return
        rtt_s, jitter, received, lost = 0.0, 0, 0, 0
        for report in (await self._transceiver.sender.getStats()).values():
            if isinstance(report, RTCRemoteInboundRtpStreamStats):
                rtt_s = report.roundTripTime or 0.0
        for report in (await self._transceiver.receiver.getStats()).values():
            if isinstance(report, RTCInboundRtpStreamStats):
                jitter, received = report.jitter, report.packetsReceived
                lost = max(report.packetsLost, 0)
        fraction = lost / (received + lost) if received else 0.0
        self._network = Network(rtt_s * 1000.0, jitter * 1000.0 / self._rtp_hz, fraction)
        if received:
            self._observe({"received": received, "lost": lost})

    def _observe(self, packets: dict[str, int]) -> None:
        """What is new since the last second; a packet that was lost may yet have come late."""
        for result, count in packets.items():
            metrics.RTP_PACKETS.labels(result).inc(max(count - self._counted[result], 0))
            self._counted[result] = max(count, self._counted[result])
        metrics.JITTER_MS.observe(self._network.jitter_ms)
        if self._network.rtt_ms:
            metrics.RTT_MS.observe(self._network.rtt_ms)

    def end(self, reason: Reason) -> None:
        """Tells that it is over, and begins to close. Only the first reason counts."""
        if self._closing is None:
            self._closing = self._tasks.create_task(self._release())
            self._line.told(Closed(clock.now(), reason))

    async def shut(self, reason: Reason) -> None:
        """Ends the connection and waits until everything is released."""
        self.end(reason)
        if self._closing is not None:
            await asyncio.wait({self._closing})

    # -- inside ----------------------------------------------------------------------------------

    @property
    def _transceiver(self) -> RTCRtpTransceiver:
        return self._connection.getTransceivers()[0]

    def _changed(self) -> None:
        state = self._connection.connectionState
        if state == "connected" and not self._connected and self._closing is None:
            self._connected = True
            self._legs.begin(clock.now())
            if self._connection.sctp is None or self._channel is not None:
                self._announce()
            else:
                self._loop.call_later(_CHANNEL_S, self._announce)
            if self._transceiver.currentDirection not in ("sendrecv", "sendonly"):
                self._ticking = self._tasks.create_task(self._tick_unheard())
        elif state == "failed":
            self.end("lost" if self._connected else "deadline")
        elif "closed" in (state, self._transceiver.receiver.transport.state):
            # whoever hangs up says so over a path that is alive
            dead = self._connected and ice.given_up(self._connection)
            self.end("lost" if dead else "hangup")

    def _announce(self) -> None:
        if self._connected and not self._announced and self._closing is None:
            self._announced = True
            self._line.told(Connected(clock.now()))

    async def _tick_unheard(self) -> None:
        """The pulse of a call whose caller does not want to hear: nobody else asks for frames."""
        try:
            while True:
                await self._transceiver.sender.track.recv()
        except MediaStreamError:
            return
        except Exception as error:  # noqa: BLE001 - a call's border: others go on
            log.failure("peer.failed", error)
            self.end("lost")

    def _opened(self, channel: RTCDataChannel) -> None:
        if self._closing is not None or channel.label not in LABELS:
            return
        if self._channel is not None and self._channel.readyState == "open":
            return  # the first one counts, until the caller closes it
        self._channel = channel
        channel.on("message", self._received)
        self._announce()
        self._line.told(ChannelOpened(clock.now()))
        while self._queued:
            self._send(self._queued.popleft())

    def _received(self, message: str | bytes) -> None:
        if isinstance(message, str) and self._closing is None:
            self._line.told(Received(clock.now(), Words(message)))

    def _send(self, text: str) -> None:
        if self._closing is not None:
            return
        if self._channel is None:
            if len(self._queued) < _MOST_QUEUED:
                self._queued.append(text)
            else:
                metrics.MESSAGES_DROPPED.labels("no-channel").inc()
        elif self._channel.readyState != "open":
            metrics.MESSAGES_DROPPED.labels("closed").inc()
        elif self._channel.bufferedAmount > _MOST_BUFFERED_BYTES:
            metrics.MESSAGES_DROPPED.labels("unread").inc()
        else:
            self._channel.send(text)

    async def _release(self) -> None:
        track = self._transceiver.sender.track
        if isinstance(track, Outbound):
            track.stop()
        try:
            await asyncio.wait_for(ice.close(self._connection), _CLOSE_S)
        except Exception as error:  # noqa: BLE001 - a call's border: others go on
            log.failure("peer.unclosed", error)
        finally:
            if self._ticking is not None:
                self._ticking.cancel()
            self._legs.close()
            self._queued.clear()
