"""Cutting long utterances."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voiced.audio.pcm import Pcm
from voiced.stt import pieces

pytestmark = pytest.mark.unit

HZ = 16_000


def talk(seconds: float, *pauses: float) -> Pcm:
    """Noise, with 0.4 s of silence at each instant."""
    pcm = np.random.default_rng(3).normal(0, 3000, int(seconds * HZ)).astype(np.int16)
    for pause in pauses:
        pcm[int((pause - 0.2) * HZ) : int((pause + 0.2) * HZ)] = 0
    return pcm


def test_an_utterance_that_fits_is_left_whole() -> None:
    pcm = talk(28.0)

    assert [pcm.tobytes()] == [piece.tobytes() for piece in pieces.cut(pcm)]


def test_a_long_utterance_is_cut_in_its_pause() -> None:
    lengths = [len(piece) / HZ for piece in pieces.cut(talk(40.0, 20.0))]

    assert [pytest.approx(20.0, abs=0.1), pytest.approx(20.0, abs=0.1)] == lengths


def test_the_quietest_of_several_pauses_is_taken() -> None:
    pcm = talk(40.0, 18.0, 24.0)
    pcm[int(17.8 * HZ) : int(18.2 * HZ)] = 500

    assert pytest.approx(24.0, abs=0.1) == len(pieces.cut(pcm)[0]) / HZ


def test_of_equal_places_the_latest_is_taken() -> None:
    """So that there are as few pieces as may be."""
    assert 27.0 < len(pieces.cut(np.zeros(40 * HZ, np.int16))[0]) / HZ


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 90 * HZ))
def test_nothing_is_lost_and_nothing_is_doubled(samples: int) -> None:
    pcm = np.resize(np.arange(-9000, 9001, 7, dtype=np.int16), samples)

    cut = pieces.cut(pcm)

    assert pcm.tobytes() == np.concatenate(cut).tobytes()
    assert all(len(piece) <= 28 * HZ for piece in cut)
    assert all(len(piece) >= 14 * HZ for piece in cut[:-1])
