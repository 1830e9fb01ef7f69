"""What a test caller hears: packets as they arrive, as levels over time and as a recording.

No jitter buffer: an instant is that at which a packet arrived, since the network and the daemon
are measured, not a loudspeaker. It does not know what is said.
"""

import asyncio
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import soundfile

from voiced import clock
from voiced.audio import levels
from voiced.audio.pcm import HEARING_FRAME, HEARING_HZ, Pcm
from voiced.rtc.opus import Decoder, OpusError
from voiced.rtc.reorder import Lost, Packet, Reorder, Restarted


class Heard(NamedTuple):
    """Levels of windows of 10 ms, and the instant that each began to be heard at."""

    at: npt.NDArray[np.float64]
    db: levels.Levels


class Ear:
    """Stands where the receiver keeps its jitter buffer. Lives on the caller's loop."""

    def __init__(self) -> None:
        self.arrived = asyncio.Event()
        """Set whenever something was heard; cleared by whoever waits."""
        self.lost = 0
        self._reorder = Reorder()
        self._decoder = Decoder()
        self._at: list[float] = []
        self._db: list[float] = []
        self._pcm: list[Pcm] = []

    def add(self, packet: Packet) -> tuple[bool, None]:
        """Takes a packet; never raises."""
        at = clock.now()
        for step in self._reorder.push(packet):
            match step:
                case Restarted():
                    self._decoder = Decoder()
                case Lost(count, _):
                    self.lost += count
                    self._hear(self._decoder.conceal(HEARING_FRAME), at)
                case _:
                    self._decode(step.payload, at)
        self.arrived.set()
        return False, None

    def heard(self) -> Heard:
        """All of it, from the first packet on."""
        return Heard(np.array(self._at), np.array(self._db, np.float32))

    def between(self, begin: float, end: float) -> Heard:
        """Windows that began in [begin, end)."""
        first, last = np.searchsorted(self._at, [begin, end])
        return Heard(np.array(self._at[first:last]), np.array(self._db[first:last], np.float32))

    def sound(self, begin: float, end: float) -> Pcm:
        """What was heard in [begin, end), 16 kHz."""
        first, last = (
            int(one) * HEARING_HZ // 100 for one in np.searchsorted(self._at, [begin, end])
        )
        pcm: Pcm = np.concatenate([np.zeros(0, np.int16), *self._pcm])[first:last]
        return pcm

    def onset(self, begin: float, end: float = float("inf")) -> float | None:
        """The first instant in [begin, end) from which the agent is audible."""
        heard = self.between(begin, end)
        index = levels.onset(heard.db)
        return None if index is None else float(heard.at[index])

    def quiet_since(self, begin: float) -> float:
        """The end of the newest audible window since `begin`; `begin` where there was none."""
        for at, db in zip(reversed(self._at), reversed(self._db), strict=True):
            if at < begin:
                break
            if db > levels.AUDIBLE_DB:
                return at + levels.WINDOW_S
        return begin

    def write(self, path: Path) -> None:
        """A WAV file of all that was heard, 16 kHz."""
        pcm = np.concatenate(self._pcm) if self._pcm else np.zeros(0, np.int16)
        soundfile.write(str(path), pcm, HEARING_HZ)

    def _decode(self, payload: bytes, at: float) -> None:
        try:
            self._hear(self._decoder.decode(payload), at)
        except OpusError:
            self.lost += 1

    def _catch_up(self, at: float) -> None:
        """Silence behind a burst gives way to what arrives now, as in a jitter buffer that plays it
        faster; else all that follows one late packet would be heard late, for the whole call."""
        behind = 0
        for begun, db in zip(reversed(self._at), reversed(self._db), strict=True):
            if db > levels.AUDIBLE_DB or begun <= at - (behind + 1) * levels.WINDOW_S:
                break
            behind += 1
        floor = self._at[-behind - 1] + levels.WINDOW_S if behind < len(self._at) else 0.0
        for late in range(1, behind + 1):
            self._at[-late] = max(at - late * levels.WINDOW_S, floor)

    def _hear(self, pcm: Pcm, at: float) -> None:
        self._catch_up(at)
        # a burst of late packets may not run into the windows before it
        start = max(at, self._at[-1] + levels.WINDOW_S) if self._at else at
        for index, db in enumerate(levels.levels(pcm, HEARING_HZ)):
            self._at.append(start + index * levels.WINDOW_S)
            self._db.append(float(db))
        self._pcm.append(pcm)
