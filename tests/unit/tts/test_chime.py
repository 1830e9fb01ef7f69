"""The soft sound into the silence before a late reply."""

import numpy as np
import pytest

from voiced.audio.pcm import SPEAKING_HZ
from voiced.tts.chime import soft_sound

pytestmark = pytest.mark.unit


def test_it_is_short_and_soft_and_begins_and_ends_in_silence() -> None:
    """Audible, and far from a voice, which lies about 20 dB below full scale."""
    pcm = soft_sound().astype(float) / 32768

    peak_db = 20 * np.log10(np.max(np.abs(pcm)))
    assert 0.2 < len(pcm) / SPEAKING_HZ < 0.5
    assert -36 < peak_db < -28
    assert np.max(np.abs(pcm[[0, 1, -2, -1]])) < 1e-3
