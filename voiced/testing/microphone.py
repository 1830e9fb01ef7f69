"""What a test caller says: PCM as a paced track of Opus packets, with the instants it was sent at.

Between utterances it sends silence, like a microphone in a quiet room, or what it is given then. It
does not know files.
"""

import asyncio
import fractions
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import av
import numpy as np
from aiortc import MediaStreamTrack
from aiortc.mediastreams import MediaStreamError

from voiced.audio.levels import Span, voiced_span
from voiced.audio.pcm import HEARING_FRAME, HEARING_HZ, Pcm
from voiced.rtc.opus import Encoder
from voiced.rtc.outbound import Pace
from voiced.rtc.timeline import RTP_HZ

_TIME_BASE = fractions.Fraction(1, RTP_HZ)
_SILENCE: Pcm = np.zeros(HEARING_FRAME, np.int16)


@dataclass(frozen=True, slots=True)
class Said:
    """Instants at which the first and the last voiced sample of an utterance were sent."""

    first_voiced_at: float
    last_voiced_at: float


@dataclass(slots=True)
class _Utterance:
    pcm: Pcm
    voiced: Span
    done: "asyncio.Future[Said]"
    sent: int = 0
    first_at: float = 0.0
    last_at: float = 0.0

    def next(self, at: float) -> Pcm:
        begin, end = self.sent, self.sent + HEARING_FRAME
        if begin <= self.voiced.first < end:
            self.first_at = at
        if begin <= self.voiced.last < end:
            self.last_at = at
        self.sent = end
        frame = self.pcm[begin:end]
        return np.concatenate([frame, _SILENCE[len(frame) :]])


class Microphone(MediaStreamTrack):
    """One caller's track; 16 kHz in, one packet every 20 ms on absolute deadlines."""

    kind = "audio"

    def __init__(self, between: Callable[[], Pcm] = lambda: _SILENCE) -> None:
        """`between`: the frame that is sent while nothing is said."""
        super().__init__()
        self._between = between
        self._pace = Pace()
        self._encoder = Encoder(HEARING_HZ)
        self._utterance: _Utterance | None = None

    async def say(self, pcm: Pcm) -> Said:
        """Sends an utterance in real time; returns when its last sample has left.

        Raises ValueError where all of it is silence: there would be nothing to measure; and
        ConnectionError where the call is over, or ends meanwhile.
        """
        if self.readyState != "live":
            raise ConnectionError("the call is over")
        span = voiced_span(pcm, HEARING_HZ)
        if span is None:
            raise ValueError("the recording is silent from beginning to end")
        done: asyncio.Future[Said] = asyncio.get_running_loop().create_future()
        self._utterance = _Utterance(pcm, span, done)
        return await done

    async def recv(self) -> "av.Packet[Any]":
        """The next packet, when it is due."""
        loop = asyncio.get_running_loop()
        await asyncio.sleep(max(self._pace.due(loop.time()) - loop.time(), 0.0))
        if self.readyState != "live":
            raise MediaStreamError
        at, number = loop.time(), self._pace.frame
        self._pace.sent(at)
        packet = av.Packet(self._encoder.encode(self._next(at)))
        packet.pts = number * (RTP_HZ // 50)
        packet.time_base = _TIME_BASE
        return packet

    def stop(self) -> None:
        super().stop()
        if self._utterance is not None and not self._utterance.done.done():
            self._utterance.done.set_exception(ConnectionError("the call is over"))

    def _next(self, at: float) -> Pcm:
        utterance = self._utterance
        if utterance is None:
            return self._between()
        frame = utterance.next(at)
        if utterance.sent >= len(utterance.pcm):
            self._utterance = None
            if not utterance.done.done():
                utterance.done.set_result(Said(utterance.first_at, utterance.last_at))
        return frame
