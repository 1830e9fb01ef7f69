"""What a caller is heard saying whose sound comes in pieces of PCM, over a line that loses nothing.

    append ──> (more than time has passed for: waits) ──> 16 kHz ──> ring
                                     nothing came: silence ──────────^

Pieces may come in bursts, and are laid down no faster than time, since all callers share one
detector; where the caller's program decides when a turn is over, nobody listens, and a recording
may be laid down at once. It does not know sockets, base64 or who speaks.
"""

import asyncio
from collections import deque
from collections.abc import Callable

import numpy as np

from voiced import clock
from voiced.audio.pcm import FRAME_S, HEARING_FRAME, HEARING_HZ, SPEAKING_HZ, Pcm
from voiced.audio.resample import Resampler
from voiced.flow.ring import Ring
from voiced.rtc.timeline import CaptureClock

CAPACITY_S = 180
"""The longest turn that can be read as a whole."""

_BURST_S = 0.5
"""So much may come at once and is laid down at once: what a stalled network held back."""

_REFILL = 1.05
"""For clocks that run apart, and for what waits to be caught up with."""

_WAITING_S = 30.0
"""Sound that may wait; beyond it the caller's program is not read from."""

_QUIET_S = 0.200
"""Programs send pieces of 20 to 100 ms, and networks hesitate: a hole in a word spoils it."""

_LATE_S = 0.050
"""From one pulse to the next: then it was we who were late, and pieces may wait to be read."""

_LONGEST_FILL = 5 * HEARING_HZ


class Intake:
    """One call's. Main loop only; `ring` and `instant` as the detector's thread may use them."""

    def __init__(self, now: Callable[[], float] = clock.now) -> None:
        self.ring = Ring(CAPACITY_S * HEARING_HZ)
        self.at_once = False
        """Nobody listens: what comes is laid down as it comes."""
        self._now = now
        self._resampler = Resampler(SPEAKING_HZ, HEARING_HZ)
        self._waiting: deque[Pcm] = deque()
        self._waiting_samples = 0
        self._room = asyncio.Event()
        self._clock = CaptureClock()
        self._covered_at: float | None = None
        self._pulsed_at = 0.0
        self._dry = False
        """Silence has been laid down, and no sound since."""
        self._credit_s = _BURST_S
        self._credited_at = 0.0

    async def room(self) -> None:
        """Waits while so much waits that no more should be read."""
        while self._waiting_samples > _WAITING_S * HEARING_HZ:
            self._room.clear()
            await self._room.wait()

    def instant(self, sample: int) -> float:
        """The instant at which a sample of the ring was captured. Any thread."""
        return self._clock.instant(sample)

    def append(self, pcm: Pcm) -> None:
        """Takes a piece at SPEAKING_HZ, the rate of the protocol."""
        piece = self._resampler.push(pcm)
        if len(piece):
            self._waiting.append(piece)
            self._waiting_samples += len(piece)
        self._lay(self._now())

    def flush(self) -> None:
        """Lays down all that waits, and what the filter holds: the program says that it is all."""
        rest = self._resampler.end()
        self._resampler = Resampler(SPEAKING_HZ, HEARING_HZ)
        self._waiting.append(rest)
        self._waiting_samples += len(rest)
        while self._waiting:
            self._write(self._now())

    def fill(self, at: float) -> None:
        """Time has passed: lays down what waits, or silence where nothing comes."""
        if self._covered_at is None:
            self._clock.begin(0, at)
            self._covered_at = at
        late, self._pulsed_at = at - self._pulsed_at > _LATE_S, at
        self._lay(at)
        if self.at_once:
            self._covered_at = at  # what is committed is what came, and no silence
        missing = at - self._covered_at
        if self._waiting or late or missing < (FRAME_S if self._dry else _QUIET_S):
            return
        self._dry = True
        count = min(int(missing * HEARING_HZ) // HEARING_FRAME * HEARING_FRAME, _LONGEST_FILL)
        self.ring.write(np.zeros(count, np.int16))
        self._covered_at += count / HEARING_HZ

    def close(self) -> None:
        """Erases what was heard; nobody may read the ring any more."""
        self._waiting.clear()
        self._waiting_samples = 0
        self._room.set()
        self.ring.close()

    def _lay(self, at: float) -> None:
        earned = (at - self._credited_at) * _REFILL
        self._credit_s = min(self._credit_s + earned, _BURST_S)
        self._credited_at = at
        while self._waiting and (self.at_once or self._credit_s > 0.0):
            if not self.at_once:
                self._credit_s -= len(self._waiting[0]) / HEARING_HZ
            self._write(at)

    def _write(self, at: float) -> None:
        piece = self._waiting.popleft()
        self._waiting_samples -= len(piece)
        self._room.set()
        for begin in range(0, len(piece), _LONGEST_FILL):
            self.ring.write(piece[begin : begin + _LONGEST_FILL])
        self._clock.arrived(self.ring.written, at, False)
        self._covered_at, self._dry = at, False
