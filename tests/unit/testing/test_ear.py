"""What a test caller hears, window by window."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import soundfile

from voiced import clock
from voiced.audio.pcm import HEARING_FRAME, HEARING_HZ
from voiced.rtc.opus import Encoder
from voiced.testing.ear import Ear

pytestmark = pytest.mark.unit


@dataclass
class Rtp:
    sequence_number: int
    payload: bytes
    timestamp: int = 0
    ssrc: int = 1


class Line:
    """Packets of a tone or of silence, 20 ms apart, as they arrive."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ear, self.at, self.number = Ear(), 10.0, 0
        self.encoder = Encoder(HEARING_HZ)
        monkeypatch.setattr(clock, "now", lambda: self.at)

    def send(self, frames: int, amplitude: float) -> None:
        for _ in range(frames):
            at = np.arange(HEARING_FRAME) / HEARING_HZ
            pcm = (amplitude * np.sin(2 * np.pi * 300 * at)).astype(np.int16)
            self.ear.add(Rtp(self.number, self.encoder.encode(pcm)))
            self.number += 1
            self.at += 0.020


@pytest.fixture
def line(monkeypatch: pytest.MonkeyPatch) -> Line:
    return Line(monkeypatch)


def test_the_onset_is_when_sound_arrives(line: Line) -> None:
    line.send(50, 0)
    line.send(25, 8000)
    line.send(25, 0)

    assert pytest.approx(11.0, abs=0.011) == line.ear.onset(0.0)
    assert pytest.approx(11.2, abs=0.011) == line.ear.onset(11.2)
    assert None is line.ear.onset(0.0, 10.9)
    assert None is line.ear.onset(11.7)


def test_the_quiet_begins_when_sound_ends(line: Line) -> None:
    line.send(50, 0)
    assert 3.0 == line.ear.quiet_since(3.0)

    line.send(25, 8000)
    line.send(25, 0)

    assert pytest.approx(11.5, abs=0.04) == line.ear.quiet_since(0.0)


def test_a_lost_packet_and_rubbish_are_counted(line: Line) -> None:
    line.send(5, 8000)
    line.number += 1
    line.send(5, 8000)
    line.ear.add(Rtp(line.number, b"\xff\xff\xff"))

    assert 2 == line.ear.lost
    assert 22 == len(line.ear.heard().at)


def test_a_burst_does_not_run_backwards(line: Line) -> None:
    line.send(5, 0)
    line.at -= 0.09
    line.send(5, 0)

    assert np.all(np.diff(line.ear.heard().at) > 0)


def test_a_late_burst_does_not_make_all_that_follows_late(line: Line) -> None:
    """The daemon was held up for 60 ms, sent what was due, and went on."""
    line.send(5, 0)
    line.at += 0.06
    for _ in range(3):
        line.send(1, 0)
        line.at -= 0.02
    line.send(20, 0)
    begun = line.at
    line.send(10, 8000)

    assert pytest.approx(begun, abs=0.011) == line.ear.onset(0.0)


def test_no_sound_is_heard_before_the_sound_in_front_of_it_is_over(line: Line) -> None:
    line.send(5, 8000)
    line.at -= 0.05
    line.send(5, 8000)
    line.send(1, 0)
    line.at -= 0.01
    line.send(5, 8000)
    heard = line.ear.heard().at

    assert np.all(np.diff(heard[:20]) > 0.009)
    assert np.all(np.diff(heard) >= 0)


def test_the_recording_is_all_that_was_heard(line: Line, tmp_path: Path) -> None:
    line.send(50, 8000)
    line.ear.write(tmp_path / "r.wav")
    samples, hz = soundfile.read(tmp_path / "r.wav")

    assert (HEARING_HZ, HEARING_HZ) == (hz, len(samples))


def test_a_stretch_of_what_was_heard_is_found_by_its_instants(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    line = Line(monkeypatch)
    line.send(5, 0)
    line.send(5, 8000)

    assert 5 * HEARING_FRAME == len(line.ear.sound(10.095, 10.3))
    assert 4000 < max(abs(line.ear.sound(10.14, 10.2)))
    assert 0 == len(line.ear.sound(11.0, 12.0))
