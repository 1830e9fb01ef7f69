"""The detector's verdicts with exact ends."""

import numpy as np
import pytest

from voiced.audio.pcm import HEARING_HZ, Pcm
from voiced.config.settings import Vad
from voiced.vad.hysteresis import WINDOW
from voiced.vad.model import SpeechBegan, SpeechEnded, Verdict
from voiced.vad.segmenter import Segmenter

pytestmark = pytest.mark.unit


def segmenter() -> Segmenter:
    return Segmenter(Vad(), lambda sample: sample / HEARING_HZ)


def verdicts(levels: list[int], probabilities: list[float], ear: Segmenter) -> list[Verdict]:
    chance = np.random.default_rng(1)
    windows: list[Pcm] = [chance.normal(0, level, WINDOW).astype(np.int16) for level in levels]
    heard = [
        ear.hear(number * WINDOW, window, probability)
        for number, (window, probability) in enumerate(zip(windows, probabilities, strict=True))
    ]
    return [verdict for verdict in heard if verdict is not None]


def test_speech_ends_with_the_voice_and_not_with_the_detectors_doubt() -> None:
    """Ten windows of voice, two more in which the detector still hears it, and a pause."""
    began, ended = verdicts([3000] * 10 + [20] * 6, [0.9] * 12 + [0.0] * 4, segmenter())

    assert SpeechBegan(0.0, 0) == began
    assert isinstance(ended, SpeechEnded)
    assert 10 * WINDOW == ended.sample
    assert 10 * WINDOW / HEARING_HZ == pytest.approx(ended.at)


def test_sound_that_stops_within_speech_ends_with_its_last_window() -> None:
    ear = segmenter()
    verdicts([3000] * 10, [0.9] * 10, ear)

    last = ear.close()

    assert isinstance(last, SpeechEnded)
    assert 10 * WINDOW == last.sample


def test_speech_that_may_just_begin_stirs() -> None:
    ear = segmenter()
    stirring = []
    for number, (level, probability) in enumerate(
        zip([20, 3000, 3000, 3000, 20], [0.0, 0.9, 0.9, 0.9, 0.0], strict=True)
    ):
        ear.hear(number * WINDOW, np.full(WINDOW, level, np.int16), probability)
        stirring.append(ear.stirring)

    assert [False, True, False, False, False] == stirring
