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

    def __init__(self, callback: Any, samplerate: int, channels: Any, **_more: Any) -> None:
        self.hz = samplerate
        self.channels = channels
        self._callback = callback
        self.running = False

    def __enter__(self) -> None:
        self.running = True

    def __exit__(self, *_: object) -> None:
        self.running = False

    def block(self, heard: Pcm, *, underflow: bool = False) -> Pcm:
        frames = len(heard) // self.channels[0]
        played = bytearray(2 * frames * self.channels[1])
        status = SimpleNamespace(output_underflow=underflow, input_overflow=False)
        self._callback(heard.tobytes(), memoryview(played), frames, None, status)
        return np.frombuffer(played, np.int16)


class FakeSound:
    """sounddevice on a box whose card takes some rates, and these numbers of channels."""

    class PortAudioError(Exception):
        pass

    def __init__(self, *rates: int, channels: tuple[int, int] = (1, 1)) -> None:
        self._rates = rates
        self._channels = channels
        self.streams: list[FakeStream] = []

    def RawStream(self, **asked: Any) -> FakeStream:
        if not self._rates:
            raise self.PortAudioError("Error querying device -1")
        if asked["channels"] != self._channels:
            raise self.PortAudioError("Invalid number of channels [PaErrorCode -9998]")
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


@pytest.mark.parametrize("hz", [16_000, 44_100, 48_000, 8_000, 96_000])
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


@pytest.mark.parametrize("channels", [(1, 2), (2, 2), (2, 1)])
def test_a_card_without_a_single_channel_is_heard_on_any_and_plays_on_all(
    channels: tuple[int, int],
) -> None:
    """A microphone that speaks on the left alone, is half as loud then."""
    sound, heard = FakeSound(48_000, channels=channels), list[Pcm]()

    def turn(block: Pcm) -> Pcm:
        heard.append(block)
        return block

    with device.opened(turn, None, None, sound):
        (stream,) = sound.streams
        left = tone(48_000, 1.0)
        whole = np.zeros((len(left), channels[0]), np.int16)
        whole[:, 0] = left
        played = [
            stream.block(whole[at : at + 480].ravel()) for at in range(0, len(left) - 480, 480)
        ]

    mono = np.concatenate(heard)[HEARING_HZ // 2 :]
    assert pytest.approx(1000, abs=5) == pitch(mono, HEARING_HZ)
    assert np.abs(mono).max() == pytest.approx(8000 / channels[0], rel=0.05)
    out = np.concatenate(played).reshape(-1, channels[1])
    assert pytest.approx(1000, abs=5) == pitch(out[24_000:, -1], 48_000)
    assert (out == out[:, :1]).all()


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
