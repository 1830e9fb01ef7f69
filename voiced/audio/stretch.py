"""Makes speech slower, and not lower. Pure.

Overlapping pieces of the sound are laid further apart than they were, each taken from where it goes
on like the one before (waveform similarity, WSOLA):

    in   [--a--]
            [--b--]          a piece may be moved by a few ms either way
               [--c--]
    out  [--a--]
              [--b--]
                    [--c--]

The result does not depend on how the sound was cut into chunks.
"""

import numpy as np
import numpy.typing as npt

from voiced.audio.pcm import SPEAKING_HZ, Pcm

_HOP = SPEAKING_HZ // 50
"""20 ms between two pieces of the result; a piece is twice as long."""

_SEARCH = SPEAKING_HZ // 100
"""10 ms either way: a period of the lowest voice."""

_FALL = (0.5 + 0.5 * np.cos(np.pi * np.arange(_HOP) / _HOP)).astype(np.float32)
_RISE = 1 - _FALL

Floats = npt.NDArray[np.float32]


class Stretch:
    """One stretch of sound, made `factor` times as long. Not for two threads at once."""

    def __init__(self, factor: float) -> None:
        """`factor`: 1.0 or more."""
        self._factor = factor
        self._sound: Floats = np.zeros(0, np.float32)
        self._first = 0  # where in the whole sound `_sound` begins
        self._pieces = 0
        self._goes_on = 0  # where the sound goes on behind the newest piece
        self._made = 0

    def push(self, pcm: Pcm) -> Pcm:
        """Takes the next chunk; returns what can be made of it already."""
        self._sound = np.concatenate([self._sound, pcm.astype(np.float32)])
        return self._made_of(self._pieces_up_to(self._first + len(self._sound)))

    def end(self) -> Pcm:
        """No more sound: returns the rest."""
        length = self._first + len(self._sound)
        rest = round(length * self._factor) - self._made
        silence = np.zeros(2 * _HOP + 2 * _SEARCH, np.float32)
        self._sound = np.concatenate([self._sound, silence])
        made = self._pieces_up_to(length + len(silence))
        return self._made_of(made)[:rest]

    def _pieces_up_to(self, end: int) -> list[Floats]:
        """The halves that are complete once the sound is known up to `end`."""
        made: list[Floats] = []
        while True:
            place = int(self._pieces * _HOP / self._factor)
            if max(place + _SEARCH, self._goes_on) + 2 * _HOP > end:
                return made
            begin = self._best(place) if self._pieces else 0
            before = self._at(self._goes_on, _HOP)
            fresh = self._at(begin, _HOP)
            made.append(before * _FALL + fresh * _RISE if self._pieces else fresh)
            self._pieces += 1
            self._goes_on = begin + _HOP
            self._forget(min(self._goes_on, place) - _SEARCH)

    def _best(self, place: int) -> int:
        """Near a place, where the sound is most like what would have followed."""
        first = max(place - _SEARCH, 0)
        wanted = self._at(self._goes_on, _HOP)
        around = self._at(first, place + _SEARCH + _HOP - first)
        alike = np.correlate(around, wanted, "valid")
        return first + int(np.argmax(alike))

    def _at(self, begin: int, samples: int) -> Floats:
        return self._sound[begin - self._first : begin - self._first + samples]

    def _forget(self, before: int) -> None:
        if before > self._first:
            self._sound = self._sound[before - self._first :]
            self._first = before

    def _made_of(self, pieces: list[Floats]) -> Pcm:
        sound = np.concatenate([np.zeros(0, np.float32), *pieces])
        self._made += len(sound)
        pcm: Pcm = np.clip(np.rint(sound), -32768, 32767).astype(np.int16)
        return pcm
