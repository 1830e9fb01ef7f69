"""Where the voice ended, to 8 ms: the detector itself says so 20 to 120 ms late.

    probability    |  .9  |  .9  |  .6  |  .4  |  .1  |  .1  |  .1  |
    level in dB     -20    -22 -31 -52    -54    -61    -60    -62
                              ^ ends       ^ as the detector has it
                                                  |---- noise ------|

The pause itself tells how loud the line is without the voice: what lies well above that was voice.
In a noise as loud as the end of a word nothing can be told, so the end is never moved far.

Pure. It does not know probabilities, threads or turns.
"""

from collections import deque
from dataclasses import replace

import numpy as np

from voiced.audio.pcm import HEARING_HZ, Pcm
from voiced.vad.model import SpeechEnded

STEP = 128
"""Samples of one level: 8 ms, four to a window."""

_ABOVE_NOISE_DB = 8.0
_BELOW_SPEECH_DB = 35.0
_NEAREST_TO_SPEECH_DB = 12.0
_FURTHEST = HEARING_HZ * 112 // 1000
"""How far the end may be moved back."""

_KEPT = HEARING_HZ * 3 // 2 // STEP
"""Levels that are remembered: 1.5 s, enough to know how loud the caller speaks."""

_NOISE_STEPS = 4
"""Levels of the pause without which nothing is known of the noise."""


class Tail:
    """One call's levels. Fed every window in order, by one thread."""

    def __init__(self) -> None:
        self._levels: deque[float] = deque(maxlen=_KEPT)
        self._heard = 0

    def hear(self, start: int, window: Pcm) -> None:
        """Takes a window; `start` is the position of its first sample."""
        sound = window[: len(window) // STEP * STEP].reshape(-1, STEP).astype(np.float32)
        power = np.maximum(np.mean(np.square(sound), axis=1), 0.1)
        self._levels.extend((10 * np.log10(power)).tolist())
        self._heard = start + len(window)

    def ended(self, verdict: SpeechEnded) -> SpeechEnded:
        """The verdict, with the end where the voice was last above the noise."""
        levels = list(self._levels)
        last = len(levels) - max(self._heard - verdict.sample, 0) // STEP
        voice, noise = levels[:last], levels[last:]
        if len(noise) < _NOISE_STEPS or not voice:
            return verdict
        loud = float(np.percentile(voice, 95))
        above_noise = min(float(np.median(noise)) + _ABOVE_NOISE_DB, loud - _NEAREST_TO_SPEECH_DB)
        threshold = max(above_noise, loud - _BELOW_SPEECH_DB)
        silent = 0
        while silent * STEP < _FURTHEST and silent < last and voice[last - silent - 1] < threshold:
            silent += 1
        early = min(silent * STEP, _FURTHEST)
        return replace(verdict, at=verdict.at - early / HEARING_HZ, sample=verdict.sample - early)
