"""Slower speech: longer by the factor, at the same pitch, whatever chunks it came in."""

import numpy as np
import pytest

from voiced.audio.pcm import SPEAKING_HZ, Pcm
from voiced.audio.stretch import Stretch

pytestmark = pytest.mark.unit


def note(hz: float, seconds: float) -> Pcm:
    time = np.arange(int(seconds * SPEAKING_HZ)) / SPEAKING_HZ
    return (8000 * np.sin(2 * np.pi * hz * time)).astype(np.int16)


def stretched(pcm: Pcm, factor: float, chunk: int) -> Pcm:
    stretch = Stretch(factor)
    made = [stretch.push(pcm[at : at + chunk]) for at in range(0, len(pcm), chunk)]
    return np.concatenate([*made, stretch.end()])


@pytest.mark.parametrize("factor", [1.0, 1.25, 1.6])
@pytest.mark.parametrize("hz", [110.0, 233.0, 440.0])
def test_it_is_longer_and_no_lower(hz: float, factor: float) -> None:
    slow = stretched(note(hz, 1.0), factor, 4800)

    spectrum = np.abs(np.fft.rfft(slow * np.hanning(len(slow))))
    loudest = np.argmax(spectrum) * SPEAKING_HZ / len(slow)
    assert round(SPEAKING_HZ * factor) == pytest.approx(len(slow), abs=1)
    assert hz == pytest.approx(loudest, abs=2.0)


def test_there_is_no_click_where_pieces_meet() -> None:
    pcm = note(200.0, 1.0)
    step = np.max(np.abs(np.diff(pcm.astype(int))))

    assert np.max(np.abs(np.diff(stretched(pcm, 1.25, 4800).astype(int)[:-960]))) < 1.5 * step


@pytest.mark.parametrize("chunk", [1, 240, 997, 48_000])
def test_chunks_make_no_difference(chunk: int) -> None:
    pcm = np.random.default_rng(1).normal(0, 2000, 9000).astype(np.int16)

    assert np.array_equal(stretched(pcm, 1.25, 4800), stretched(pcm, 1.25, chunk))


@pytest.mark.parametrize("samples", [0, 1, 300, 2000])
def test_very_short_sounds_are_longer_too(samples: int) -> None:
    assert round(samples * 1.25) == len(stretched(note(200.0, 1.0)[:samples], 1.25, 4800))


def test_nothing_is_lost_at_the_end() -> None:
    """Silence, and a sound at its very end."""
    pcm = np.concatenate([np.zeros(SPEAKING_HZ, np.int16), note(200.0, 0.2)])

    end = stretched(pcm, 1.25, 4800)[-SPEAKING_HZ // 5 :]
    assert 0.7 < np.std(end) / np.std(note(200.0, 0.2)) < 1.2
