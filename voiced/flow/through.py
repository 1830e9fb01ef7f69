"""One side of a call, as frames for the other: read from a ring, a little behind its end.

    [ ring at 16 kHz .............|<- slack ->|     a frame at 24 kHz for each tick
                                read       written

The slack is what packets may be late by. When the ring runs dry there is silence until the slack is
there again; when it grows too far ahead, the sound between is left out: two people who speak with
each other want the newest. It does not know who speaks, or packets.
"""

from typing import Protocol

import numpy as np

from voiced.audio.pcm import HEARING_FRAME, HEARING_HZ, SPEAKING_FRAME, SPEAKING_HZ, Pcm
from voiced.audio.resample import Resampler
from voiced.flow.ring import Ring

SLACK = 3 * HEARING_FRAME
"""60 ms: after so much without a packet the inbound side writes silence."""

_MOST = 10 * HEARING_FRAME

_SILENCE: Pcm = np.zeros(SPEAKING_FRAME, np.int16)


class Frames(Protocol):
    """What somebody is to hear."""

    def tick(self, at: float) -> Pcm:
        """The next 20 ms at SPEAKING_HZ; called once a frame, on one thread."""


class Through:
    """Begins with what is written from now on. Made anywhere; ticked on one thread."""

    def __init__(self, ring: Ring) -> None:
        self._ring = ring
        self._read = ring.written
        self._waiting = True  # for the slack
        self._resampler = Resampler(HEARING_HZ, SPEAKING_HZ)
        self._made = _SILENCE[:0]

    def tick(self, at: float) -> Pcm:
        """See Frames."""
        while len(self._made) < SPEAKING_FRAME:
            pcm = self._next()
            if pcm is None:
                return _SILENCE
            self._made = np.concatenate([self._made, self._resampler.push(pcm)])
        frame, self._made = self._made[:SPEAKING_FRAME], self._made[SPEAKING_FRAME:]
        return frame

    def _next(self) -> Pcm | None:
        """The next 20 ms of the ring; None: not yet."""
        ahead = self._ring.written - self._read
        if ahead > _MOST:
            self._read = self._ring.written - SLACK
        elif ahead < (SLACK if self._waiting else HEARING_FRAME):
            self._waiting = True
            return None
        self._waiting = False
        begin, self._read = self._read, self._read + HEARING_FRAME
        pcm = self._ring.copy(begin, self._read)
        return np.pad(pcm, (0, HEARING_FRAME - len(pcm)))  # short once the ring is closed
