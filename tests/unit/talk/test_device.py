"""Sound cards as they are: rates that are refused, blocks that are missed, no card at all."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from voiced.audio.pcm import HEARING_HZ, Pcm
from voiced.errors import UnavailableError
from voiced.talk import device

pytestmark = pytest.mark.unit


class FakeStream:
    """PortAudio's stream: asks for a block whenever the test lets it."""

    def __init__(self, callback: Any, samplerate: int, **_more: Any) -> None:
        self.hz = samplerate
        self._callback = callback
        self.running = False

    def __enter__(self) -> None:
        self.running = True

    def __exit__(self, *_: object) -> None:
        self.running = False

    def block(self, heard: Pcm, *, underflow: bool = False) -> Pcm:
        played = bytearray(2 * len(heard))
        status = SimpleNamespace(output_underflow=underflow, input_overflow=False)
        self._callback(heard.tobytes(), memoryview(played), len(heard), None, status)
        return np.frombuffer(played, np.int16)


class FakeSound:
    """sounddevice on a box whose card takes some rates."""

    class PortAudioError(Exception):
        pass

    def __init__(self, *rates: int) -> None:
        self._rates = rates
        self.streams: list[FakeStream] = []

    def RawStream(self, **asked: Any) -> FakeStream:
        if not self._rates:
            raise self.PortAudioError("Error querying device -1")
        if asked["samplerate"] not in self._rates:
            raise self.PortAudioError("Invalid sample rate [PaErrorCode -9997]")
        self.streams.append(FakeStream(**asked))
        return self.streams[-1]


def tone(hz: int, seconds: float) -> Pcm:
    at = np.arange(int(hz * seconds)) / hz
    return (8000 * np.sin(2 * np.pi * 1000 * at)).astype(np.int16)


def pitch(pcm: Pcm, hz: int) -> float:
    spectrum = np.abs(np.fft.rfft(pcm * np.hanning(len(pcm))))
    return float(np.argmax(spectrum) * hz / len(pcm))


@pytest.mark.parametrize("hz", [16_000, 44_100, 48_000])
def test_a_rate_that_the_card_refuses_is_made_up_for(hz: int) -> None:
    """What the microphone hears comes to us at our rate, what we say goes out at the card's."""
    sound, heard = FakeSound(hz), list[Pcm]()

    def turn(block: Pcm) -> Pcm:
        heard.append(block)
        return block

    with device.opened(turn, None, None, sound) as bridge:
        (stream,) = sound.streams
        whole, size = tone(hz, 2.0), hz // 100
        played = [stream.block(whole[at : at + size]) for at in range(0, len(whole) - size, size)]

    assert (hz, False, 0) == (stream.hz, stream.running, bridge.underruns)
    assert pytest.approx(1000, abs=5) == pitch(np.concatenate(heard)[HEARING_HZ // 2 :], HEARING_HZ)
    assert pytest.approx(1000, abs=5) == pitch(np.concatenate(played)[hz // 2 :], hz)
    late = np.concatenate(played)[hz // 2 :]
    assert np.abs(late[: hz // 10]).max() > 6000
    assert bridge._ready.short == 0


def test_underruns_are_counted_and_the_stream_goes_on() -> None:
    sound = FakeSound(48_000)
    with device.opened(lambda block: block, None, None, sound) as bridge:
        silence = np.zeros(480, np.int16)
        for number in range(10):
            assert 480 == len(sound.streams[0].block(silence, underflow=number % 5 == 0))
        assert sound.streams[0].running

    assert 2 == bridge.underruns


def test_a_box_without_a_sound_card_is_told_so() -> None:
    with (
        pytest.raises(UnavailableError, match=r"Error querying device -1.*plug a sound card in"),
        device.opened(lambda block: block, None, None, FakeSound()),
    ):
        pytest.fail("there is nothing to open")
