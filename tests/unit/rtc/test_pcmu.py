"""G.711 against the library's own: what telephones send is heard, and what is said they hear."""

import av
import numpy as np
import pytest

from voiced.audio.pcm import HEARING_HZ, SPEAKING_HZ, Pcm
from voiced.rtc import pcmu

pytestmark = pytest.mark.unit


def tone(hertz: float, seconds: float, hz: int) -> Pcm:
    at = np.arange(int(seconds * hz)) / hz
    return (8000 * np.sin(2 * np.pi * hertz * at)).astype(np.int16)


def codec(mode: str) -> av.CodecContext:
    made = av.CodecContext.create("pcm_mulaw", mode)
    made.format, made.layout, made.sample_rate = "s16", "mono", pcmu.HZ
    return made


def expanded(packet: bytes) -> Pcm:
    """As the library reads it."""
    frames = codec("r").decode(av.Packet(packet))
    return np.concatenate([frame.to_ndarray()[0] for frame in frames])


def test_every_code_sounds_as_the_library_says() -> None:
    assert [*expanded(bytes(range(256)))] == [*pcmu._EXPANDED]


@pytest.mark.parametrize("level", [30, 1000, 30_000])
def test_what_is_said_is_what_the_library_hears(level: int) -> None:
    """Within a step of the code, which is a sixteenth of the level."""
    encoder = pcmu.Encoder()
    steady = np.full(480, level, np.int16)
    packets = [encoder.encode(steady) for _ in range(5)]

    assert [160] * 5 == [len(packet) for packet in packets]
    assert level == pytest.approx(float(expanded(packets[-1]).mean()), rel=0.05, abs=4)
    assert -level == pytest.approx(
        float(expanded([encoder.encode(-steady) for _ in range(5)][-1]).mean()), rel=0.05, abs=4
    )


@pytest.mark.parametrize("hertz", [300, 1000, 3000])
def test_a_tone_arrives_as_that_tone_in_both_directions(hertz: float) -> None:
    encoder, decoder = pcmu.Encoder(), pcmu.Decoder()
    spoken = tone(hertz, 1.0, SPEAKING_HZ).reshape(-1, 480)
    heard = np.concatenate([decoder.decode(encoder.encode(frame)) for frame in spoken])
    spectrum = np.abs(np.fft.rfft(heard[1600:] * np.hanning(len(heard) - 1600)))
    loudest = np.argmax(spectrum) * HEARING_HZ / (len(heard) - 1600)
    far = np.abs(np.fft.rfftfreq(len(heard) - 1600, 1 / HEARING_HZ) - hertz) > 100

    assert HEARING_HZ == len(heard)
    assert hertz == pytest.approx(loudest, abs=3)
    assert 20 * np.log10(spectrum[far].max() / spectrum.max()) < -30
    assert 8000 / np.sqrt(2) == pytest.approx(float(np.std(heard[1600:].astype(float))), rel=0.1)


def test_what_telephones_cannot_carry_is_not_folded_into_what_they_can() -> None:
    encoder = pcmu.Encoder()
    packets = [encoder.encode(f) for f in tone(6000, 0.5, SPEAKING_HZ).reshape(-1, 480)]

    assert float(np.std(expanded(packets[-1]).astype(float))) < 8000 / 100


def test_there_are_as_many_samples_as_the_packet_has_time() -> None:
    decoder = pcmu.Decoder()

    assert 320 == pcmu.samples(bytes(160)) == len(decoder.decode(bytes(160)))
    assert [0] * 320 == [*decoder.recover(bytes(160), 320)]
