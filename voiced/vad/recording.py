"""Finds the speech in a whole recording, as the live path finds it in a call.

Faster than real time, on the calling thread. It does not know what was said, nor where turns end.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from voiced.audio.pcm import HEARING_HZ, Pcm
from voiced.config import settings
from voiced.vad.hysteresis import WINDOW
from voiced.vad.model import SpeechBegan, SpeechEnded, Verdict
from voiced.vad.segmenter import Segmenter
from voiced.vad.silero import Memory
from voiced.vad.watch import Model


@dataclass(frozen=True, slots=True)
class Stretch:
    """Speech between two silences; positions in samples at 16 kHz."""

    start: int
    """First voiced sample."""
    stop: int
    """One past the last voiced sample."""
    voiced_s: float
    """Seconds of windows in which the detector heard speech."""


def stretches(pcm: Pcm, model: Model, pace: settings.Vad) -> Iterator[Stretch]:
    """In order; the recording goes on in silence behind its end."""
    start = 0
    for verdict in _verdicts(pcm, model, pace):
        match verdict:
            case SpeechBegan(sample=sample):
                start = sample
            case SpeechEnded(sample=sample, voiced_s=voiced_s):
                yield Stretch(start, sample, voiced_s)


def _verdicts(pcm: Pcm, model: Model, pace: settings.Vad) -> Iterator[Verdict]:
    ear = Segmenter(pace, lambda sample: sample / HEARING_HZ)
    memory = Memory()
    for start in range(0, len(pcm), WINDOW):
        window = pcm[start : start + WINDOW]
        window = np.pad(window, (0, WINDOW - len(window)))
        verdict = ear.hear(start, window, model.judge([window], [memory])[0])
        if verdict is not None:
            yield verdict
    last = ear.close()
    if last is not None:
        yield last
