"""What one caller is heard saying: RTP packets in, 16 kHz samples in a ring.

It stands where aiortc keeps its jitter buffer, which adds 80 ms always and 280 ms for the rest of
the call after the first loss. A packet that is next in order is decoded as it arrives.

It does not know speech, turns or who reads the ring.
"""

from collections.abc import Callable

import numpy as np

from voiced import clock
from voiced.audio.pcm import HEARING_FRAME, HEARING_HZ, Pcm
from voiced.flow.ring import Ring
from voiced.rtc.codec import OPUS, Codec
from voiced.rtc.opus import OpusError
from voiced.rtc.reorder import Lost, Packet, Reorder, Restarted, Step
from voiced.rtc.timeline import CaptureClock, Timeline

_CAPACITY_S = 180
"""The longest turn that can be read as a whole: a caller who tells a story without a pause."""

_QUIET_S = 0.060
_MARGIN_S = 0.040
"""Silence stays so far behind the wall clock, so that a packet a little late still fits."""

_CREDIT_S = 2.0
_REFILL = 1.05
"""Sound may come in a burst of two seconds, but never faster than time for long: all callers share
one detector. The twentieth allows for clocks that run apart."""

_LONGEST_FILL = 5 * HEARING_HZ
_LONGEST_CONCEALED = 5 * HEARING_FRAME
"""Made-up sound beyond 100 ms is noise; silence follows."""


class Inbound:
    """Made on the main loop; `add` and `fill` on the rtc thread; counters are read on any."""

    def __init__(self, now: Callable[[], float] = clock.now) -> None:
        self.ring = Ring(_CAPACITY_S * HEARING_HZ)
        self.packets = 0
        self.last_packet_at = 0.0
        self.concealed = 0
        """Samples that were made up for lost packets."""
        self.undecodable = 0
        self.excess = 0
        """Packets that came faster than time, and were dropped."""
        self.restarts = 0
        """Other streams that began: a new SSRC, or a jump in sequence numbers."""
        self._now = now
        self._reorder = Reorder()
        self._codec = OPUS
        self._timeline = Timeline()
        self._clock = CaptureClock()
        self._decoder = OPUS.decoder()
        self._covered_at: float | None = None
        self._credit_s = _CREDIT_S
        self._credited_at = 0.0
        self._closed = False

    @property
    def lost(self) -> int:
        """Packets that never came, or too late."""
        return self._reorder.lost

    @property
    def late(self) -> int:
        """Packets that came twice or too late."""
        return self._reorder.late

    def instant(self, sample: int) -> float:
        """The instant at which a sample of the ring was captured. Any thread."""
        return self._clock.instant(sample)

    def add(self, packet: Packet) -> tuple[bool, None]:
        """Takes a packet. Never raises: an exception here would end the call's transport."""
        if not self._closed:
            at = self._now()
            if packet.payload:
                self.packets += 1
                self.last_packet_at = self._covered_at = at
            for step in self._reorder.push(packet):
                self._hear(step, at)
        return False, None  # aiortc: no picture is missing, no frame for its own decoder

    def begin(self, codec: Codec) -> None:
        """Another connection brings the sound from now on; no time has passed since the last one.

        On the rtc thread, before its first packet.
        """
        self._codec = codec
        self._reorder, self._clock = Reorder(), CaptureClock()
        self._renew()
        self._covered_at = None

    def fill(self, at: float) -> None:
        """Writes silence while no packet comes, so that whoever listens hears time pass."""
        if self._closed:
            return
        if self._covered_at is None:
            self._clock.begin(self.ring.written, at)
            self._covered_at = at
        if at - self._covered_at < _QUIET_S:
            return
        for step in self._reorder.flush():
            self._hear(step, at)
        missing = int((at - _MARGIN_S - self._covered_at) * HEARING_HZ)
        count = min(missing // HEARING_FRAME * HEARING_FRAME, _LONGEST_FILL)
        if count > 0:
            self.ring.write(np.zeros(count, np.int16))
            self._covered_at += count / HEARING_HZ

    def close(self) -> None:
        """Erases what was heard; the peer must be closed, and nobody read the ring any more."""
        self._closed = True
        self.ring.close()

    def _hear(self, step: Step, at: float) -> None:
        match step:
            case Restarted():
                self.restarts += self._timeline.end is not None
                self._renew()
            case Lost():
                self._conceal(step.following)
            case _ if step.payload:  # an empty one only has a number
                self._decode(step, at)
            case _:
                pass

    def _renew(self) -> None:
        self._timeline = Timeline(self._codec.rtp_hz)
        self._decoder = self._codec.decoder()

    def _decode(self, packet: Packet, at: float) -> None:
        try:
            if not self._affordable(self._codec.samples(packet.payload) / HEARING_HZ, at):
                self.excess += 1
                self._timeline = Timeline(
                    self._codec.rtp_hz
                )  # the time that it claims has not passed
                return
            pcm = self._decoder.decode(packet.payload)
        except OpusError:
            self.undecodable += 1
            return
        start, anew = self._timeline.place(packet.timestamp, self.ring.written, at)
        self._timeline.end = start + len(pcm)
        self._lay(start, pcm)
        self._clock.arrived(self._timeline.end, at, anew)

    def _affordable(self, seconds: float, at: float) -> bool:
        earned = (at - self._credited_at) * _REFILL
        self._credit_s = min(self._credit_s + earned, _CREDIT_S)
        self._credited_at = at
        if self._credit_s < seconds:
            return False
        self._credit_s -= seconds
        return True

    def _conceal(self, following: Packet) -> None:
        """Sound for lost packets: made up after what was heard, recovered before what follows."""
        begin, end = self._timeline.end, self._timeline.where(following.timestamp)
        if begin is None or end is None or not 0 < end - begin <= _LONGEST_FILL:
            return
        if not following.payload:
            return
        try:
            one = min(self._codec.samples(following.payload), end - begin)
            unknown = min(end - begin, _LONGEST_CONCEALED) - one
            if unknown > 0 and begin == self.ring.written:
                self._make_up(begin, self._decoder.conceal(unknown))
            self._make_up(end - one, self._decoder.recover(following.payload, one))
        except OpusError:
            self.undecodable += 1

    def _make_up(self, start: int, pcm: Pcm) -> None:
        self.concealed += len(pcm)
        self._lay(start, pcm)

    def _lay(self, start: int, pcm: Pcm) -> None:
        """Puts sound at its place: over silence that stood in for it, or at the end."""
        written = self.ring.written
        if start > written:
            self.ring.write(np.zeros(min(start - written, _LONGEST_FILL), np.int16))
        elif start < written:
            overlap = min(written - start, len(pcm))
            self.ring.patch(start, pcm[:overlap])
            pcm = pcm[overlap:]
        if len(pcm):
            self.ring.write(pcm)
