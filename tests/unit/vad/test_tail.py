"""Where the voice ended, by its level above that of the pause."""

import numpy as np
import pytest

from voiced.audio.pcm import HEARING_HZ, Pcm
from voiced.vad.hysteresis import WINDOW
from voiced.vad.model import SpeechEnded
from voiced.vad.tail import STEP, Tail

pytestmark = pytest.mark.unit


def line(voice_s: float, pause_s: float, voice: float, noise: float) -> Pcm:
    chance = np.random.default_rng(1)
    silence = np.zeros(int(pause_s * HEARING_HZ))
    sound = np.concatenate([chance.normal(0, voice, int(voice_s * HEARING_HZ)), silence])
    return (sound + chance.normal(0, noise, len(sound))).astype(np.int16)


def told(pcm: Pcm, at: float) -> float:
    """The end, in seconds, when the detector has it at `at` seconds."""
    tail = Tail()
    for start in range(0, len(pcm) - WINDOW + 1, WINDOW):
        tail.hear(start, pcm[start : start + WINDOW])
    verdict = tail.ended(SpeechEnded(100 + at, int(at * HEARING_HZ), 1.0))
    assert verdict.at - 100 == pytest.approx(verdict.sample / HEARING_HZ)
    assert 1.0 == verdict.voiced_s
    return verdict.sample / HEARING_HZ


def test_the_end_is_where_the_voice_was_last_above_the_pause() -> None:
    assert 1.0 == pytest.approx(told(line(1.0, 0.3, 3000, 30), 1.088), abs=0.01)


def test_in_noise_it_is_too() -> None:
    assert 1.0 == pytest.approx(told(line(1.0, 0.3, 3000, 600), 1.088), abs=0.01)


def test_a_voice_that_noise_covers_ends_where_the_detector_says() -> None:
    """Nothing can be told, and an end too early would cut the caller off."""
    assert 1.088 == pytest.approx(told(line(1.0, 0.3, 500, 3000), 1.088), abs=STEP / HEARING_HZ)


def test_the_end_is_never_moved_far() -> None:
    assert 1.2 - 0.112 == pytest.approx(told(line(0.5, 1.0, 3000, 30), 1.2), abs=0.001)


def test_without_a_pause_nothing_is_known_of_the_noise() -> None:
    assert 1.28 == told(line(1.28, 0.0, 3000, 30), 1.28)


def test_digital_silence_is_silence() -> None:
    assert 1.0 == pytest.approx(told(line(1.0, 0.3, 3000, 0), 1.088), abs=0.01)
