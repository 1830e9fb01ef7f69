"""The detector's trial at start: a sentence must be speech to it, and silence must not.

A detector that is fed wrongly (scale, framing, context) does not raise; it goes deaf. So a bundled
sentence of two seconds, made by a speech synthesiser and nobody's voice, goes through the same path
as a caller's sound before the first call does.

It does not know which model is tried.
"""

import wave
from collections.abc import Callable
from importlib import resources

import numpy as np

from voiced.audio.pcm import HEARING_HZ, Pcm
from voiced.errors import UnavailableError
from voiced.vad.hysteresis import WINDOW

_SPEECH = 0.5
"""Probability above which a window counts as heard."""

_ENOUGH = 0.7
"""Part of the sentence's windows that must be heard; it has a pause and two edges."""


def run(judge: Callable[[Pcm], float]) -> None:
    """Plays silence, then the sentence, window by window. Raises UnavailableError."""
    silence = [judge(window) for window in _windows(np.zeros(2 * HEARING_HZ, np.int16))]
    speech = [judge(window) for window in _windows(sentence())]
    heard = sum(probability > _SPEECH for probability in speech) / len(speech)
    invented = sum(probability > _SPEECH for probability in silence)
    if heard < _ENOUGH or invented:
        raise UnavailableError(
            f"silero-vad: heard {heard:.0%} of a test sentence (at least {_ENOUGH:.0%} is wanted) "
            f"and speech in {invented} windows of silence: run `voiced models verify`"
        )


def sentence() -> Pcm:
    """The bundled sentence: 16 kHz."""
    path = resources.files("voiced.vad") / "data" / "sentence.wav"
    with path.open("rb") as file, wave.open(file) as clip:
        return np.frombuffer(clip.readframes(clip.getnframes()), np.int16)


def _windows(pcm: Pcm) -> list[Pcm]:
    return [pcm[start : start + WINDOW] for start in range(0, len(pcm) - WINDOW + 1, WINDOW)]
