"""Speech in a whole recording, with a model that hears loudness."""

from collections.abc import Sequence

import numpy as np
import pytest

from voiced.audio.pcm import Pcm
from voiced.config import settings
from voiced.vad.recording import Stretch, stretches
from voiced.vad.silero import Memory

pytestmark = pytest.mark.unit

WINDOW = 512
PACE = settings.Vad(min_speech_ms=64, min_silence_ms=96)


class Loudness:
    def judge(self, windows: Sequence[Pcm], memories: Sequence[Memory]) -> list[float]:
        return [0.9 if np.any(window) else 0.0 for window in windows]


def found(windows: str, extra: int = 0) -> list[Stretch]:
    """`#` is a loud window, `.` a silent one; `extra` loud samples more."""
    levels = np.array([1000 * (window == "#") for window in windows], np.int16)
    pcm = np.concatenate([np.repeat(levels, WINDOW), np.full(extra, 1000, np.int16)])
    return list(stretches(pcm, Loudness(), PACE))


def stretch(start: int, stop: int, voiced: int) -> Stretch:
    """In windows."""
    return Stretch(start * WINDOW, stop * WINDOW, voiced * 0.032)


def test_each_stretch_of_speech_is_found() -> None:
    assert [stretch(2, 6, 4), stretch(16, 19, 3)] == found("..####" + "." * 10 + "###....")


def test_a_stop_inside_a_word_stays_inside() -> None:
    assert [stretch(2, 11, 7)] == found("..####..###....")


def test_speech_that_the_recording_cuts_off_is_found() -> None:
    assert [stretch(2, 6, 4)] == found("..####")


def test_the_last_samples_count_though_they_are_no_whole_window() -> None:
    """They are followed by silence, as if the recording went on."""
    assert [stretch(2, 7, 5)] == found("..####", extra=100)


def test_silence_has_no_speech() -> None:
    assert [] == found("........")
    assert [] == found("")


def test_a_click_is_no_speech() -> None:
    assert [] == found("...#........")
