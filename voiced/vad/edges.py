"""Where the voice began and ended, to 8 ms: the detector itself says so 20 to 130 ms late.

    probability    |  .1  |  .4  |  .9  |  .9  |  .6  |  .4  |  .1  |  .1  |
    level in dB    -61 -48   -31    -20    -22 -31 -52    -54    -61    -60
                       ^ begins  ^ detector   ^ ends       ^ detector
                    |- noise                                |--- noise ------|

The line tells how loud it is without the voice, before it and behind it: what lies well above that
was voice, a hiss at the beginning of a word too. In a noise as loud as the edge of a word nothing
can be told, so an edge is never moved far.

Pure. It does not know probabilities, threads or turns.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from voiced.audio.pcm import HEARING_HZ, Pcm
from voiced.vad.model import SpeechBegan, SpeechEnded

STEP = 128
"""Samples of one level: 8 ms, four to a window."""

_ABOVE_NOISE_DB = 8.0
_BELOW_SPEECH_DB = 35.0
_NEAREST_TO_SPEECH_DB = 12.0
FURTHEST = 14
"""Steps that an edge may be moved back: 112 ms."""

_KEPT = HEARING_HZ * 3 // 2 // STEP
"""Levels that are remembered: 1.5 s, enough to know how loud the caller speaks."""

_NOISE_STEPS = 4
"""Levels of the line alone without which nothing is known of the noise."""

_CLOSED = 6
"""Quiet levels that a word may have near its beginning: "stop" has such a hole."""


class Edges:
    """One call's levels. Fed every window in order, by one thread."""

    def __init__(self) -> None:
        self._energies: deque[float] = deque(maxlen=_KEPT)  # levels only once they are asked for
        self._heard = 0
        self._ended = 0  # where the newest speech did; what comes next begins behind it

    def hear(self, start: int, window: Pcm) -> None:
        """Takes a window; `start` is the position of its first sample."""
        sound = window[: len(window) // STEP * STEP].reshape(-1, STEP).astype(np.float32)
        self._energies.extend(np.vecdot(sound, sound).tolist())
        self._heard = start + len(window)

    def began(self, verdict: SpeechBegan) -> SpeechBegan:
        """The verdict, with the beginning where the voice was first above the noise."""
        before, voice = self._parted(verdict.sample)
        noise = before[:-FURTHEST]
        reach = min(FURTHEST, (verdict.sample - self._ended) // STEP)
        if len(noise) < _NOISE_STEPS or not voice:
            return verdict
        threshold = _threshold(voice, noise)
        early = quiet = 0
        for steps, level in enumerate(reversed(before[len(before) - reach :]), 1):
            quiet = 0 if level >= threshold else quiet + 1
            if quiet > _CLOSED:
                break
            if not quiet:
                early = steps
        moved = early * STEP
        return replace(verdict, at=verdict.at - moved / HEARING_HZ, sample=verdict.sample - moved)

    def ended(self, verdict: SpeechEnded) -> SpeechEnded:
        """The verdict, with the end where the voice was last above the noise."""
        voice, noise = self._parted(verdict.sample)
        self._ended = verdict.sample
        if len(noise) < _NOISE_STEPS or not voice:
            return verdict
        threshold = _threshold(voice, noise)
        near = voice[-FURTHEST:]
        silent = next(
            (n for n, level in enumerate(reversed(near)) if level >= threshold), len(near)
        )
        moved = silent * STEP
        self._ended = verdict.sample - moved
        return replace(verdict, at=verdict.at - moved / HEARING_HZ, sample=self._ended)

    def _parted(self, sample: int) -> tuple[list[float], list[float]]:
        """The levels before a sample, and from it on."""
        power = np.maximum(np.array(self._energies) / STEP, 0.1)
        levels = (10 * np.log10(power)).tolist()
        place = max(len(levels) - max(self._heard - sample, 0) // STEP, 0)
        return levels[:place], levels[place:]


def _threshold(voice: Sequence[float], noise: Sequence[float]) -> float:
    """What is voice, in dB."""
    loud = float(np.percentile(voice, 95))
    above_noise = min(float(np.median(noise)) + _ABOVE_NOISE_DB, loud - _NEAREST_TO_SPEECH_DB)
    return max(above_noise, loud - _BELOW_SPEECH_DB)
