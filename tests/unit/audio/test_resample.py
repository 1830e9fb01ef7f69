"""From any rate to the one that is spoken, without a seam."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from voiced.audio.pcm import SPEAKING_HZ, Pcm
from voiced.audio.resample import Resampler

pytestmark = pytest.mark.unit

LOUDNESS = 20_000


def tone(rate_hz: int, seconds: float = 1.0, frequency_hz: float = 440.0) -> Pcm:
    instants = np.arange(round(rate_hz * seconds)) / rate_hz
    pcm: Pcm = (LOUDNESS * np.sin(2 * np.pi * frequency_hz * instants)).astype(np.int16)
    return pcm


def resampled(pcm: Pcm, from_hz: int, chunk: int) -> Pcm:
    stream = Resampler(from_hz, SPEAKING_HZ)
    pieces = [stream.push(pcm[start : start + chunk]) for start in range(0, len(pcm), chunk)]
    return np.concatenate([*pieces, stream.end()])


@pytest.mark.parametrize("rate_hz", [8_000, 16_000, 22_050, 24_000, 44_100, 48_000])
@pytest.mark.parametrize("chunk", [1_000, 441, 7_777])
def test_a_tone_keeps_its_pitch_its_length_and_has_no_click(rate_hz: int, chunk: int) -> None:
    """A second of 440 Hz in odd chunks: 24,000 samples, 440 +- 2 Hz, steps of a sine."""
    spoken = resampled(tone(rate_hz), rate_hz, chunk)
    strongest = int(np.argmax(np.abs(np.fft.rfft(spoken * np.hanning(len(spoken))))))
    step = int(np.abs(np.diff(spoken.astype(np.int32))).max())

    assert SPEAKING_HZ == len(spoken)
    assert abs(440 - strongest * SPEAKING_HZ / len(spoken)) <= 2
    assert step < 1.5 * LOUDNESS * 2 * np.pi * 440 / SPEAKING_HZ


@given(some.lists(some.integers(1, 3_000), min_size=1, max_size=8))
def test_where_the_chunks_are_cut_changes_nothing(cuts: list[int]) -> None:
    """The same samples, whole or in pieces."""
    pcm = tone(22_050, 0.3)
    whole = resampled(pcm, 22_050, len(pcm))
    stream = Resampler(22_050, SPEAKING_HZ)
    pieces = [stream.push(piece) for piece in np.split(pcm, np.clip(np.cumsum(cuts), 0, len(pcm)))]
    cut = np.concatenate([*pieces, stream.end()])

    assert whole.tolist() == cut.tolist()


def test_the_loudest_sound_is_clipped_and_never_wraps() -> None:
    """A square wave overshoots any filter: full scale stays full scale, with its sign."""
    square = np.where(tone(22_050, 0.2, 300.0) >= 0, 32_767, -32_768).astype(np.int16)
    spoken = resampled(square, 22_050, 1_000).astype(np.int32)

    assert int((spoken > 20_000).sum()) == pytest.approx(len(spoken) / 2, rel=0.1)
    assert np.abs(np.diff(np.sign(spoken))).sum() // 2 == pytest.approx(2 * 300 * 0.2, abs=4)


def test_a_stream_of_nothing_is_nothing() -> None:
    stream = Resampler(22_050, SPEAKING_HZ)

    assert 0 == len(stream.push(np.zeros(0, np.int16)))
    assert 0 == len(stream.end())


def test_an_ended_stream_takes_no_more() -> None:
    stream = Resampler(24_000, SPEAKING_HZ)
    stream.end()

    with pytest.raises(ValueError, match="ended"):
        stream.push(np.zeros(8, np.int16))
