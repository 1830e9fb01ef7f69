"""Louder by a fixed gain, and never beyond full scale."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from voiced.tts.loudness import leveled

pytestmark = pytest.mark.unit


def test_what_is_not_too_loud_is_only_made_louder() -> None:
    samples = np.array([-0.5, 0.0, 0.25, 0.5], np.float32)

    assert [-24575, 0, 12288, 24575] == leveled(samples, 1.5).tolist()


def test_what_is_too_loud_is_bent_and_stays_below_full_scale() -> None:
    pcm = leveled(np.array([0.85, 0.9, 1.0, 1.3], np.float32), 1.0).tolist()

    assert sorted(set(pcm)) == pcm
    assert 32_767 > pcm[-1]


@given(some.lists(some.floats(-100, 100, width=32), max_size=30), some.floats(0.0, 8.0))
def test_the_limiter_keeps_signs_and_order_and_never_wraps(
    values: list[float], gain: float
) -> None:
    """A louder sample is never a softer one, and none changes its sign."""
    samples = np.sort(np.array(values, np.float32))
    pcm = leveled(samples, gain).astype(np.int32)

    assert (np.diff(pcm) >= 0).all()
    assert (pcm * np.sign(samples) >= 0).all()


def test_a_broken_sample_is_no_noise() -> None:
    assert [0, 32767] == leveled(np.array([np.nan, np.inf], np.float32), 1.0).tolist()
