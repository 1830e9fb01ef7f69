"""Cuts a whole recording into turns, as the live path cuts a call: detector, then endpoint pause.

    speech   ▁▁▁███▁██▁▁▁▁▁▁▁▁▁███▁▁▁
    turns       |------|        |--|      pauses shorter than the endpoint delay stay inside a turn
                       ^decided  after that delay, or where the recording ends

Faster than real time, on the calling thread. It does not know what was said.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from voiced.audio.pcm import HEARING_HZ, Pcm
from voiced.config import settings
from voiced.vad.hysteresis import WINDOW, Hysteresis
from voiced.vad.model import SpeechBegan, SpeechEnded, Verdict
from voiced.vad.silero import Memory
from voiced.vad.watch import Model


@dataclass(frozen=True, slots=True)
class Passage:
    """One turn of a recording; positions in samples at 16 kHz."""

    start: int
    """First voiced sample."""
    stop: int
    """One past the last voiced sample."""
    voiced_s: float
    """Seconds of windows in which the detector heard speech."""
    decided: int
    """Where the turn was known to be over: the endpoint delay after `stop`."""


def passages(
    pcm: Pcm, model: Model, pace: settings.Vad, endpoint_delay_ms: int
) -> Iterator[Passage]:
    """The turns in order; the recording goes on in silence behind its end."""
    delay = endpoint_delay_ms * HEARING_HZ // 1000
    open_: Passage | None = None
    for verdict in _verdicts(pcm, model, pace):
        match verdict:
            case SpeechBegan(sample=sample):
                if open_ is not None and sample >= open_.decided:
                    yield open_
                    open_ = None
                open_ = open_ or Passage(sample, sample, 0.0, sample)
            case SpeechEnded(sample=sample, voiced_s=voiced_s) if open_ is not None:
                voiced_s += open_.voiced_s
                open_ = replace(open_, stop=sample, voiced_s=voiced_s, decided=sample + delay)
    if open_ is not None:
        yield open_


def _verdicts(pcm: Pcm, model: Model, pace: settings.Vad) -> Iterator[Verdict]:
    ear = Hysteresis(pace, lambda sample: sample / HEARING_HZ)
    memory = Memory()
    for start in range(0, len(pcm), WINDOW):
        window = pcm[start : start + WINDOW]
        window = np.pad(window, (0, WINDOW - len(window)))
        verdict = ear.hear(start, model.judge([window], [memory])[0])
        if verdict is not None:
            yield verdict
    last = ear.close()
    if last is not None:
        yield last
