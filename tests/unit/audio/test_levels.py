"""Where a recording is loud."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voiced.audio.levels import Span, levels, onset, threshold_db, voiced_span
from voiced.audio.pcm import Pcm

pytestmark = pytest.mark.unit

HZ = 16_000


def sound(seconds: float, amplitude: float) -> Pcm:
    at = np.arange(round(seconds * HZ)) / HZ
    pcm: Pcm = (amplitude * np.sin(2 * np.pi * 300 * at)).astype(np.int16)
    return pcm


def noise(seconds: float, amplitude: float) -> Pcm:
    samples = np.random.default_rng(1).standard_normal(round(seconds * HZ)) * amplitude
    pcm: Pcm = samples.astype(np.int16)
    return pcm


def silence(seconds: float) -> Pcm:
    return np.zeros(round(seconds * HZ), np.int16)


def test_a_level_is_that_of_each_10_ms() -> None:
    pcm = np.concatenate([silence(0.02), sound(0.02, 32767), silence(0.005)])

    assert pytest.approx([-100, -100, -3, -3], abs=0.1) == levels(pcm, HZ).tolist()


def test_speech_between_silences_has_its_first_and_last_sample() -> None:
    pcm = np.concatenate(
        [silence(0.5), sound(0.3, 8000), silence(0.2), sound(0.1, 800), silence(1)]
    )

    assert Span(int(0.5 * HZ), int(1.1 * HZ) - 1) == voiced_span(pcm, HZ)


def test_a_tail_35_db_below_the_voice_is_not_voiced() -> None:
    pcm = np.concatenate([sound(0.5, 16000), sound(0.5, 16000 / 100)])

    assert Span(0, HZ // 2 - 1) == voiced_span(pcm, HZ)


def test_noise_is_not_voice() -> None:
    pcm = np.concatenate([silence(0.5), sound(0.5, 8000), silence(0.5)]) + noise(1.5, 300)

    assert Span(HZ // 2, HZ - 1) == voiced_span(pcm.astype(np.int16), HZ)


def test_a_recording_without_pauses_is_voiced_throughout() -> None:
    assert Span(0, HZ - 1) == voiced_span(sound(1.0, 3000), HZ)


def test_a_click_is_not_voice() -> None:
    click = silence(1.0)
    click[8000:8100] = 20000

    assert None is voiced_span(click, HZ)


def test_silence_has_no_voice() -> None:
    assert None is voiced_span(silence(1.0), HZ)
    assert None is voiced_span(silence(0.0), HZ)


def test_it_is_audible_from_the_first_of_two_loud_windows() -> None:
    assert 3 == onset(np.array([-80, -40, -80, -44, -30, -80], np.float32))
    assert None is onset(np.array([-80, -40, -80, -44.9, -45.1, -40], np.float32))


@given(st.lists(st.integers(-32768, 32767), max_size=2000))
def test_no_recording_breaks_it(samples: list[int]) -> None:
    pcm = np.array(samples, np.int16)
    span = voiced_span(pcm, HZ)

    assert span is None or 0 <= span.first <= span.last < len(pcm)
    assert np.isfinite(threshold_db(levels(pcm, HZ)))
