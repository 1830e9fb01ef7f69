"""Samples between two threads: put in at one end, taken out at the other, never more than so many.

It does not know what they are, or when anybody comes.
"""

import threading

import numpy as np

from voiced.audio.pcm import Pcm


class Store:
    """Bounded; any thread."""

    def __init__(self, most: int, wanted: int = 0) -> None:
        """`wanted`: nothing is given until so many are there, again after each shortage."""
        self.short = 0
        """How often there was not enough in the middle of what was being taken."""
        self.dropped = 0
        """Samples that did not fit: the oldest go."""
        self._most = most
        self._wanted = wanted
        self._lock = threading.Lock()
        self._samples: Pcm = np.zeros(0, np.int16)
        self._giving = not wanted

    def put(self, pcm: Pcm) -> None:
        with self._lock:
            whole = np.concatenate([self._samples, pcm])
            self.dropped += max(len(whole) - self._most, 0)
            self._samples = whole[-self._most :]
            self._giving = self._giving or len(self._samples) >= self._wanted

    def take(self, count: int) -> Pcm:
        """So many samples; what is missing is silence."""
        with self._lock:
            found = self._samples[:count] if self._giving else self._samples[:0]
            self._samples = self._samples[len(found) :]
            if self._giving and len(found) < count:
                self.short += 1
                self._giving = not self._wanted
        silence: Pcm = np.zeros(count - len(found), np.int16)
        return np.concatenate([found, silence])
