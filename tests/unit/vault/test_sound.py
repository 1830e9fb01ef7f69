"""Two channels in, one Ogg file out: nothing mixed up, nothing shifted, no seam."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import soundfile

from voiced.audio.pcm import HEARING_HZ, SPEAKING_HZ, Pcm
from voiced.vault.sound import Encoder, write_ogg

pytestmark = pytest.mark.unit

SECONDS = 3
Channels = npt.NDArray[np.float64]


def tone(hertz: float, rate: int, begin: float, seconds: float = SECONDS) -> Pcm:
    """Silence, and from `begin` on a tone."""
    at = np.arange(int(seconds * rate)) / rate
    sound: Pcm = (8000 * np.sin(2 * np.pi * hertz * at) * (at >= begin)).astype(np.int16)
    return sound


def recorded(cuts_s: list[float], path: Path, seconds: float = SECONDS) -> Channels:
    """The caller's 400 Hz from 1 s, the agent's 1 kHz from 2 s, pushed in these stretches."""
    caller, agent = tone(400, HEARING_HZ, 1.0, seconds), tone(1000, SPEAKING_HZ, 2.0, seconds)
    encoder, packets = Encoder(), []
    edges = [0.0, *cuts_s, seconds]
    for begin, end in pairwise(edges):
        packets += encoder.push(
            caller[int(begin * HEARING_HZ) : int(end * HEARING_HZ)],
            agent[int(begin * SPEAKING_HZ) : int(end * SPEAKING_HZ)],
        )
    write_ogg([*packets, *encoder.end()], path)
    sound, rate = soundfile.read(path)
    assert SPEAKING_HZ == rate
    return np.asarray(sound)


def onset_s(channel: Channels) -> float:
    return float(np.argmax(np.abs(channel) > 0.1)) / SPEAKING_HZ


def test_the_caller_is_left_and_the_agent_right_each_at_its_time(tmp_path: Path) -> None:
    sound = recorded([], tmp_path / "call.ogg")

    assert SECONDS == pytest.approx(len(sound) / SPEAKING_HZ, abs=0.05)
    assert 1.0 == pytest.approx(onset_s(sound[:, 0]), abs=0.02)
    assert 2.0 == pytest.approx(onset_s(sound[:, 1]), abs=0.02)
    for channel, hertz in ((0, 400), (1, 1000)):
        spectrum = np.abs(np.fft.rfft(sound[-SPEAKING_HZ:, channel]))
        assert hertz == pytest.approx(np.argmax(spectrum) * SPEAKING_HZ / SPEAKING_HZ, abs=5)


def test_where_the_sound_is_cut_cannot_be_heard(tmp_path: Path) -> None:
    whole = recorded([], tmp_path / "whole.ogg")
    parts = recorded([0.3333, 1.01, 1.0101, 2.5], tmp_path / "parts.ogg")

    assert np.array_equal(whole, parts)


def test_a_call_that_stops_in_the_middle_of_a_frame_keeps_its_end(tmp_path: Path) -> None:
    sound = recorded([], tmp_path / "call.ogg", seconds=2.0301)

    assert 2.03 <= len(sound) / SPEAKING_HZ
