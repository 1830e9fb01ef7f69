"""Silence at the ends of what a voice says, cut to a bound, so that clauses join as in speech.

A voice puts 0 to 60 ms of silence before a sentence and 100 to 260 ms behind it, some voices far
more; two clauses that are ready would have all of it between them. A stream: nothing is held back
but silence. It does not know voices or text.

    |....sound....sound.........|   becomes   |.sound....sound...|
"""

import numpy as np

from voiced.audio.pcm import Pcm

HEAD_S = 0.005
"""Kept before the first sound: an onset begins softly. A caller who waits waits for it too."""

PAUSE_S = 0.105
"""Kept behind a clause that goes on: with HEAD_S 110 ms, about the pause that a comma makes."""

STOP_S = 0.125
"""Kept behind a sentence: with HEAD_S 130 ms. The demonstration's voice has 165 there by itself."""

_SILENT = 164
"""-46 dB of full scale: 25 dB below speech, 45 above a voice's own floor."""


class Trim:
    """One stretch of speech. `push` as often as wanted, then `end`, once. One thread at a time."""

    def __init__(self, hz: int, tail_s: float) -> None:
        """`tail_s`: silence to be kept behind the last sound."""
        self.removed = 0
        """Samples that were cut off in front."""
        self._head = int(HEAD_S * hz)
        self._tail = int(tail_s * hz)
        self._begun = False
        self._held: Pcm = np.zeros(0, np.int16)

    def push(self, pcm: Pcm) -> Pcm:
        """What can be said by now: all up to the last sound, and silence as far as it is kept."""
        held = np.concatenate([self._held, pcm])
        loud = np.flatnonzero(np.abs(held.astype(np.int32)) > _SILENT)
        if not len(loud):
            return self._wait(held)
        begin = 0
        if not self._begun:
            begin = max(int(loud[0]) - self._head, 0)
            self.removed += begin
            self._begun = True
        end = int(loud[-1]) + 1
        self._held = held[end:]
        return held[begin:end]

    def end(self) -> Pcm:
        """The silence that is kept behind the last sound; none where there was no sound."""
        return self._held[: self._tail] if self._begun else self._held[:0]

    def _wait(self, silence: Pcm) -> Pcm:
        """Nothing can be said; in front of the first sound only the head is needed."""
        if not self._begun:
            cut = max(len(silence) - self._head, 0)
            self.removed += cut
            silence = silence[cut:]
        self._held = silence
        return silence[:0]
