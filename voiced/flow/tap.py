"""What the caller was sent, in a ring, for whoever keeps the call: a copy that nobody waits for.

The tick leaves out frames when it comes much too late; here they are silence, so that the ring
stays in step with the clock, and with what the caller said. It does not know who reads it.
"""

import numpy as np

from voiced.audio.pcm import SPEAKING_FRAME, SPEAKING_HZ, Pcm
from voiced.flow.ring import Ring

CAPACITY = 30 * SPEAKING_HZ
"""Samples. It is read every ten seconds; who is three times as late loses the oldest."""

_LATE = 5 * SPEAKING_FRAME
_LONGEST = SPEAKING_HZ


class Tap:
    """Written by the tick alone; `ring.copy` on any thread."""

    def __init__(self) -> None:
        self.ring = Ring(CAPACITY)
        self._begun_at: float | None = None

    def write(self, frame: Pcm, at: float) -> None:
        """The frame that leaves at this instant."""
        if self._begun_at is None:
            self._begun_at = at
        missing = int((at - self._begun_at) * SPEAKING_HZ) - self.ring.written
        while missing > _LATE:
            silence = min(missing, _LONGEST)
            self.ring.write(np.zeros(silence, np.int16))
            missing -= silence
        self.ring.write(frame)

    def close(self) -> None:
        """Erases and frees it. What is written afterwards is dropped."""
        self.ring.close()
