"""The track that the caller hears: one encoded frame every 20 ms, on absolute deadlines.

Its tick is the pulse of the whole call: it takes the next frame from the playout and lets the
inbound side notice that time has passed. Silence is sent as silence, so that the far end's jitter
buffer and every NAT on the way stay warm.

It does not know turns, or where speech comes from.
"""

import asyncio
import fractions
from typing import Any

import av
from aiortc import MediaStreamTrack
from aiortc.mediastreams import MediaStreamError

from voiced.audio.pcm import FRAME_S
from voiced.flow.through import Frames
from voiced.ops import metrics
from voiced.rtc.codec import OPUS, Codec
from voiced.rtc.inbound import Inbound


class Pace:
    """When each frame is due. Pure: it is told the time.

    A little late, the frames that are due follow each other at once, three at most; later than
    100 ms, or after three, the timeline jumps: a burst would only fill the far end's buffer.
    """

    _MOST_AT_ONCE = 3
    _TOO_LATE_S = 0.100

    def __init__(self) -> None:
        self.frame = 0
        """Number of the frame that is due next; numbers that were jumped over are never sent."""
        self._start: float | None = None
        self._at_once = 0

    def due(self, now: float) -> float:
        """The instant at which frame number `frame` is to leave."""
        if self._start is None:
            self._start = now
        return self._start + self.frame * FRAME_S

    def sent(self, now: float) -> float:
        """The frame leaves now; how many seconds late that is."""
        late = max(now - self.due(now), 0.0)
        self._at_once = self._at_once + 1 if late >= FRAME_S else 0
        self.frame += 1
        if late > self._TOO_LATE_S or self._at_once >= self._MOST_AT_ONCE:
            self.frame += int(late / FRAME_S)
            self._at_once = 0
        return late


class Outbound(MediaStreamTrack):
    """One caller's track. Lives on the rtc loop."""

    kind = "audio"

    def __init__(self, playout: Frames, inbound: Inbound, codec: Codec = OPUS) -> None:
        super().__init__()
        self._playout = playout
        self._inbound = inbound
        self._pace = Pace()
        self._encoder = codec.encoder()
        self._rtp_frame = codec.rtp_hz // 50
        self._time_base = fractions.Fraction(1, codec.rtp_hz)

    async def recv(self) -> "av.Packet[Any]":
        """The next frame, when it is due. Raises MediaStreamError once the track has stopped."""
        loop = asyncio.get_running_loop()
        due = self._pace.due(loop.time())
        await asyncio.sleep(max(due - loop.time(), 0.0))
        if self.readyState != "live":
            raise MediaStreamError
        at = loop.time()
        number = self._pace.frame
        metrics.LATENESS_MS.observe(self._pace.sent(at) * 1000.0)
        self._inbound.fill(at)
        packet = av.Packet(self._encoder.encode(self._playout.tick(at)))
        packet.pts = number * self._rtp_frame
        packet.time_base = self._time_base
        return packet
