"""Turns of a whole recording, with a model that hears loudness."""

from collections.abc import Sequence

import numpy as np
import pytest

from voiced.audio.pcm import Pcm
from voiced.config import settings
from voiced.vad.recording import Passage, passages
from voiced.vad.silero import Memory

pytestmark = pytest.mark.unit

WINDOW = 512
PACE = settings.Vad(min_speech_ms=64, min_silence_ms=96)


class Loudness:
    def judge(self, windows: Sequence[Pcm], memories: Sequence[Memory]) -> list[float]:
        return [0.9 if np.any(window) else 0.0 for window in windows]


def turns(windows: str, extra: int = 0) -> list[Passage]:
    """`#` is a loud window, `.` a silent one; `extra` loud samples more."""
    levels = np.array([1000 * (window == "#") for window in windows], np.int16)
    pcm = np.concatenate([np.repeat(levels, WINDOW), np.full(extra, 1000, np.int16)])
    return list(passages(pcm, Loudness(), PACE, endpoint_delay_ms=320))


def passage(start: int, stop: int, voiced: int) -> Passage:
    """In windows; ten of them are the endpoint delay."""
    return Passage(start * WINDOW, stop * WINDOW, voiced * 0.032, (stop + 10) * WINDOW)


def test_a_long_pause_ends_the_turn() -> None:
    found = turns("..####" + "." * 10 + "###....")

    assert [passage(2, 6, 4), passage(16, 19, 3)] == found


def test_a_short_pause_stays_inside_the_turn() -> None:
    assert [passage(2, 15, 7)] == turns("..####" + "." * 6 + "###....")


def test_a_turn_that_the_recording_cuts_off_is_a_turn() -> None:
    assert [passage(2, 6, 4)] == turns("..####")


def test_the_last_samples_count_though_they_are_no_whole_window() -> None:
    """They are followed by silence, as if the recording went on."""
    assert [passage(2, 7, 5)] == turns("..####", extra=100)


def test_silence_has_no_turns() -> None:
    assert [] == turns("........")
    assert [] == turns("")


def test_a_click_is_no_turn() -> None:
    assert [] == turns("...#........")
