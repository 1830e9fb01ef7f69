"""Recordings on disk."""

from pathlib import Path

import numpy as np
import pytest
import soundfile

from voiced.audio import file
from voiced.errors import UnavailableError

pytestmark = pytest.mark.unit


def tone(hz: int, seconds: float = 0.5) -> "np.typing.NDArray[np.float32]":
    t = np.arange(int(hz * seconds)) / hz
    return (0.5 * np.sin(2 * np.pi * 1000 * t)).astype(np.float32)


def peak_hz(pcm: "np.typing.NDArray[np.int16]", hz: int) -> float:
    return float(np.argmax(np.abs(np.fft.rfft(pcm)))) * hz / len(pcm)


def test_samples_at_the_right_rate_come_back_bit_equal(tmp_path: Path) -> None:
    pcm = np.array([0, 1, -1, 32767, -32768, 12345], np.int16)
    for name in ("a.wav", "a.flac"):
        soundfile.write(tmp_path / name, pcm, 16000, subtype="PCM_16")

        assert pcm.tolist() == file.read(tmp_path / name, 16000).tolist()


@pytest.mark.parametrize("hz", [8000, 16000, 22050, 44100, 48000])
@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("samples_as", ["PCM_16", "PCM_24", "FLOAT"])
def test_every_rate_and_layout_becomes_the_same_tone(
    hz: int, channels: int, samples_as: str, tmp_path: Path
) -> None:
    """Half a second of 1 kHz: 8000 samples, the same pitch and level."""
    samples = np.stack([tone(hz)] * channels, axis=1)
    soundfile.write(tmp_path / "a.wav", samples, hz, subtype=samples_as)

    pcm = file.read(tmp_path / "a.wav", 16000)

    assert pytest.approx(8000, abs=16) == len(pcm)
    assert pytest.approx(1000, abs=5) == peak_hz(pcm, 16000)
    assert pytest.approx(0.5 * 32768, rel=0.03) == np.abs(pcm[1000:7000].astype(int)).max()


@pytest.mark.parametrize("hz", [16000, 44100, 48000])
@pytest.mark.parametrize("channel", [0, 1])
def test_speech_on_one_channel_alone_is_not_lost(hz: int, channel: int, tmp_path: Path) -> None:
    samples = np.zeros((hz // 2, 2), np.float32)
    samples[:, channel] = tone(hz)
    soundfile.write(tmp_path / "a.wav", samples, hz)

    pcm = file.read(tmp_path / "a.wav", 16000)

    assert pytest.approx(1000, abs=5) == peak_hz(pcm, 16000)
    assert pytest.approx(0.25 * 32768, rel=0.03) == np.abs(pcm[1000:7000].astype(int)).max()


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match=r"nothing\.wav: there is no such file"):
        file.read(tmp_path / "nothing.wav", 16000)


def test_a_file_that_is_no_recording_is_named(tmp_path: Path) -> None:
    (tmp_path / "letter.wav").write_text("Dear Sir")

    with pytest.raises(UnavailableError, match=r"letter\.wav: cannot be read"):
        file.read(tmp_path / "letter.wav", 16000)
