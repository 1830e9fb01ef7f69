"""Loudness by the standard's own test signals."""

import numpy as np
import pytest

from voiced.audio.loudness import SILENT_LUFS, integrated_lufs
from voiced.audio.pcm import Pcm

pytestmark = pytest.mark.unit


def sine(hertz: float, peak: float, hz: int, seconds: float = 4.0) -> Pcm:
    at = np.arange(int(hz * seconds)) / hz
    sound: Pcm = np.rint(peak * 32767 * np.sin(2 * np.pi * hertz * at)).astype(np.int16)
    return sound


@pytest.mark.parametrize("hz", [16_000, 22_050, 24_000, 48_000])
@pytest.mark.parametrize("db", [0.0, -20.0, -36.0])
def test_a_sine_of_997_hz_is_three_below_its_peak(hz: int, db: float) -> None:
    assert pytest.approx(db - 3.01, abs=0.1) == integrated_lufs(sine(997, 10 ** (db / 20), hz), hz)


@pytest.mark.parametrize(("hertz", "lufs"), [(100, -10.9), (4000, -5.8)])
def test_low_sounds_are_less_loud_and_high_ones_more(hertz: float, lufs: float) -> None:
    """The values are those of another implementation (pyloudnorm)."""
    assert pytest.approx(lufs, abs=0.15) == integrated_lufs(sine(hertz, 0.5, 24_000), 24_000)


def test_pauses_make_speech_no_less_loud() -> None:
    loud = sine(997, 0.1, 24_000)
    paused = np.concatenate([loud, np.zeros(10 * 24_000, np.int16), loud])

    assert pytest.approx(integrated_lufs(loud, 24_000), abs=0.3) == integrated_lufs(paused, 24_000)


@pytest.mark.parametrize("seconds", [0.0, 0.2, 5.0])
def test_silence_has_no_loudness(seconds: float) -> None:
    assert SILENT_LUFS == integrated_lufs(np.zeros(int(seconds * 24_000), np.int16), 24_000)
