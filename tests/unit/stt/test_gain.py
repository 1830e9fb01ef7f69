"""Very quiet utterances are lifted, and no others."""

import numpy as np
import pytest

from voiced.audio.pcm import Pcm, to_float
from voiced.stt.gain import lifted

pytestmark = pytest.mark.unit


def sound(level: int) -> Pcm:
    time = np.arange(16000)
    return (level * np.sin(time / 12.0)).astype(np.int16)


def test_a_very_quiet_utterance_is_20_db_louder() -> None:
    assert 0.1 == pytest.approx(np.abs(lifted(sound(328))).max(), rel=0.02)


@pytest.mark.parametrize("level", [700, 3000, 20000])
def test_any_other_is_left_alone(level: int) -> None:
    assert (lifted(sound(level)) == to_float(sound(level))).all()


def test_a_click_does_not_make_it_loud_and_is_clipped() -> None:
    pcm = sound(328)
    pcm[100] = 30000

    assert 1.0 == lifted(pcm).max()


@pytest.mark.parametrize("pcm", [np.zeros(0, np.int16), np.zeros(1600, np.int16)])
def test_silence_stays_silence(pcm: Pcm) -> None:
    assert not lifted(pcm).any()
