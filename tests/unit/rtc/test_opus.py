"""libopus through ctypes: round trips, losses, refusals."""

import av
import numpy as np
import pytest

from voiced.audio.pcm import HEARING_HZ, SPEAKING_FRAME, SPEAKING_HZ, Pcm
from voiced.rtc.opus import Decoder, Encoder, OpusError, samples

pytestmark = pytest.mark.unit


def tone(hertz: float, seconds: float, hz: int) -> Pcm:
    at = np.arange(int(seconds * hz)) / hz
    pcm: Pcm = (8000 * np.sin(2 * np.pi * hertz * at)).astype(np.int16)
    return pcm


def packets(pcm: Pcm, frame: int = SPEAKING_FRAME, hz: int = SPEAKING_HZ) -> list[bytes]:
    encoder = Encoder(hz)
    return [encoder.encode(pcm[i : i + frame]) for i in range(0, len(pcm) - frame + 1, frame)]


def pitch(pcm: Pcm, hz: int = HEARING_HZ) -> float:
    spectrum = np.abs(np.fft.rfft(pcm * np.hanning(len(pcm))))
    return float(np.argmax(spectrum)) * hz / len(pcm)


def decibels(pcm: Pcm) -> float:
    """Above the level of `tone`."""
    return float(20 * np.log10(np.std(pcm.astype(float)) * np.sqrt(2) / 8000))


def test_a_tone_survives_the_round_trip_at_the_hearing_rate() -> None:
    decoder = Decoder()

    heard = np.concatenate([decoder.decode(p) for p in packets(tone(440, 0.5, SPEAKING_HZ))])

    assert HEARING_HZ // 2 == len(heard)
    assert pytest.approx(440, abs=4) == pitch(heard[1600:])
    assert pytest.approx(8000, rel=0.2) == np.abs(heard[1600:]).max()


def stereo(left: Pcm, right: Pcm) -> list[bytes]:
    """Packets of two channels, as a browser may send them whatever the answer asked for."""
    encoder: av.AudioCodecContext = av.CodecContext.create("libopus", "w")
    encoder.format, encoder.layout, encoder.sample_rate = "s16", "stereo", SPEAKING_HZ
    sound = np.stack([left, right], axis=1).reshape(1, -1)
    frame = av.AudioFrame.from_ndarray(sound, format="s16", layout="stereo")
    frame.sample_rate = SPEAKING_HZ
    return [bytes(packet) for given in (frame, None) for packet in encoder.encode(given)]


@pytest.mark.parametrize("hz", [8000, 12000, 16000, 24000, 48000])
def test_whatever_rate_a_caller_encodes_at_it_is_heard_at_ours(hz: int) -> None:
    """A second of 1 kHz: as many samples as we hear in a second, pitch and level the same."""
    decoder = Decoder()
    heard = np.concatenate([decoder.decode(p) for p in packets(tone(1000, 1, hz), hz // 50, hz)])

    assert HEARING_HZ == len(heard)
    assert pytest.approx(1000, abs=5) == pitch(heard[1600:])
    assert pytest.approx(0, abs=1) == decibels(heard[1600:])


def test_a_caller_who_changes_the_rate_in_mid_call_is_heard_on() -> None:
    """And one who changes from two channels to one: the packets say it themselves."""
    decoder = Decoder()
    sound = tone(1000, 0.5, SPEAKING_HZ)
    sent = [stereo(sound, sound)[:25], packets(tone(1000, 0.5, 8000), 160, 8000)]
    for packet in [*sent[0], *sent[1][:10]]:
        decoder.decode(packet)
    heard = np.concatenate([decoder.decode(packet) for packet in sent[1][10:]])

    assert 15 * 320 == len(heard)
    assert pytest.approx(1000, abs=5) == pitch(heard)
    assert pytest.approx(0, abs=1) == decibels(heard)


@pytest.mark.parametrize(("left", "right", "level"), [(1, 1, 0), (1, 0, -6), (0, 1, -6)])
def test_two_channels_become_one_and_speech_on_either_alone_is_not_lost(
    left: int, right: int, level: float
) -> None:
    """Twice as many samples, read as one channel, would be an octave lower and a loop of words."""
    sound, decoder = tone(1000, 1, SPEAKING_HZ), Decoder()
    sent = stereo(sound * left, sound * right)[:50]
    heard = np.concatenate([decoder.decode(packet) for packet in sent])

    assert HEARING_HZ == len(heard)
    assert pytest.approx(1000, abs=5) == pitch(heard[1600:])
    assert pytest.approx(level, abs=1) == decibels(heard[1600:])


@pytest.mark.parametrize("ms", [10, 20, 40, 60])
def test_a_packet_knows_how_long_it_lasts(ms: int) -> None:
    frame = SPEAKING_HZ * ms // 1000
    packet = packets(tone(440, 0.12, SPEAKING_HZ), frame)[0]

    assert HEARING_HZ * ms // 1000 == samples(packet)
    assert HEARING_HZ * ms // 1000 == len(Decoder().decode(packet))


def test_a_lost_packet_is_recovered_from_the_next_one() -> None:
    """In-band FEC: the packet after the loss holds a coarse copy, much nearer than a guess."""
    at = np.arange(SPEAKING_HZ) / SPEAKING_HZ
    sweep = (8000 * np.sin(2 * np.pi * (300 * at + 400 * at**2))).astype(np.int16)
    sent = packets(sweep)
    intact = Decoder()
    truth = [intact.decode(p) for p in sent]
    with_fec, with_guess = Decoder(), Decoder()
    for p in sent[:25]:
        with_fec.decode(p)
        with_guess.decode(p)

    recovered = with_fec.recover(sent[26], 320).astype(float)
    guessed = with_guess.conceal(320).astype(float)

    error = np.mean((recovered - truth[25]) ** 2)
    assert error < 0.5 * np.mean((guessed - truth[25]) ** 2)


def test_a_guess_lasts_as_long_as_was_asked_for() -> None:
    decoder = Decoder()
    decoder.decode(packets(tone(440, 0.1, SPEAKING_HZ))[0])

    assert (320, 1600) == (len(decoder.conceal(320)), len(decoder.conceal(1600)))


def test_rubbish_is_refused_and_does_not_spoil_what_follows() -> None:
    decoder = Decoder()
    good = packets(tone(440, 0.1, SPEAKING_HZ))[0]

    with pytest.raises(OpusError):
        decoder.decode(b"\xff" * 3)

    assert 320 == len(decoder.decode(good))


def test_an_odd_frame_is_refused() -> None:
    with pytest.raises(OpusError):
        Encoder().encode(np.zeros(123, np.int16))


def test_silence_is_still_sent_as_packets() -> None:
    """No DTX: every frame is a packet that can be sent."""
    sent = packets(np.zeros(SPEAKING_HZ, np.int16))

    assert 50 == len(sent)
    assert min(len(packet) for packet in sent) > 2


def test_silence_that_has_settled_is_encoded_no_more_and_stays_silent() -> None:
    silence = np.zeros(SPEAKING_HZ, np.int16)
    sent = packets(np.concatenate([tone(440, 0.5, SPEAKING_HZ), silence]))
    decoder = Decoder()
    heard = np.concatenate([decoder.decode(packet) for packet in sent])

    assert 1 == len(set(sent[-30:]))
    assert np.abs(heard[-HEARING_HZ // 2 :]).max() <= 1


def test_what_comes_behind_long_silence_is_heard_from_its_first_sample() -> None:
    """As behind a short one, which is encoded frame by frame: within 1 dB in each 10 ms."""
    begins = tone(440, 0.2, SPEAKING_HZ)
    heard = []
    for frames in (10, 500):
        decoder = Decoder()
        sent = packets(np.concatenate([begins, np.zeros(480 * frames, np.int16), begins]))
        heard.append(np.concatenate([decoder.decode(p) for p in sent])[-len(begins) * 2 // 3 :])
    short, long = (
        np.array([decibels(one[i : i + 160]) for i in range(160, 3200, 160)]) for one in heard
    )

    assert np.abs(short - long).max() < 1.0
