"""A ring of PCM between two threads: one writer, one reader, no lock.

Positions are counted in samples since the call began and never wrap. The ring remembers the last
`capacity` samples; the writer never waits, and what the reader has not taken in time is lost and
counted as an overrun. The writer says which samples it is about to overwrite, writes, and then
publishes; a reader copies first and then gives up what was overwritten meanwhile. Under the GIL
these two orders are enough: no sample is ever given that was not written at its position.

It does not know rates, frames or speech.
"""

import numpy as np

from voiced.audio.pcm import Pcm
from voiced.flow.memory import Locked


class Ring:
    """`write` on the writer's thread, `take` on the reader's, `copy` on any."""

    def __init__(self, capacity: int) -> None:
        """`capacity` in samples: how far back `copy` reaches, and how far behind `take` may be."""
        self.capacity = capacity
        self.written = 0
        """Position one past the newest sample."""
        self.taken = 0
        """Position of the next sample that `take` gives."""
        self.overrun = 0
        """Samples that were overwritten before the reader took them."""
        self._claimed = 0  # one past the newest sample that is being written
        self._memory = Locked(capacity)

    def write(self, pcm: Pcm) -> None:
        """Appends samples; at most `capacity` at once."""
        if len(pcm) > self.capacity:
            raise ValueError(f"{len(pcm)} samples do not fit a ring of {self.capacity}")
        self._claimed = self.written + len(pcm)
        self._put(self.written, pcm)
        self.written = self._claimed

    def patch(self, start: int, pcm: Pcm) -> None:
        """Replaces samples that were written before, as far as the ring still has them.

        For the writer alone. `taken` does not move: what was taken stays as it was.
        """
        skipped = max(self.written - self.capacity - start, 0)
        self._put(start + skipped, pcm[skipped : max(self.written - start, 0)])

    def take(self, count: int) -> Pcm | None:
        """The next `count` samples, or None while there are fewer, and after `close`."""
        while len(self._memory.samples):
            oldest = self._claimed - self.capacity
            if self.taken < oldest:
                self.overrun += oldest - self.taken
                self.taken = oldest
            if self.written - self.taken < count:
                return None
            pcm = self.copy(self.taken, self.taken + count)
            if len(pcm) == count:  # else the writer came round during the copy
                self.taken += count
                return pcm
        return None

    def skip(self) -> None:
        """Passes over all that waits to be taken. For whoever begins to read."""
        self.taken = self.written

    def copy(self, start: int, stop: int) -> Pcm:
        """Samples of [start, stop), as far as the ring still or already has them.

        What it no longer has is missing at the front, what it does not have yet at the end.
        """
        start = max(start, self._claimed - self.capacity, 0)
        stop = min(stop, self.written)
        if stop <= start:
            return np.zeros(0, np.int16)
        first, last = start % self.capacity, stop % self.capacity
        samples = self._memory.samples
        if first < last:
            pcm = samples[first:last].copy()
        else:
            pcm = np.concatenate([samples[first:], samples[:last]])
        return pcm[max(self._claimed - self.capacity - start, 0) :]

    def close(self) -> None:
        """Erases and frees the memory. What is written afterwards is dropped. Any thread."""
        self._memory.close()

    def _put(self, position: int, pcm: Pcm) -> None:
        samples = self._memory.samples  # held, so that a close on another thread does no harm
        if not len(samples):
            return
        first = position % self.capacity
        head = min(len(pcm), self.capacity - first)
        samples[first : first + head] = pcm[:head]
        samples[: len(pcm) - head] = pcm[head:]
