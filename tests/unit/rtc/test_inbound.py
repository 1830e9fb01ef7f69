"""Packets in, samples in the ring: losses, gaps, bursts, restarts, instants."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest

from voiced.audio.pcm import HEARING_HZ, SPEAKING_HZ, Pcm
from voiced.rtc.inbound import Inbound
from voiced.rtc.opus import Encoder

pytestmark = pytest.mark.unit

MS = HEARING_HZ // 1000
LOOKAHEAD = 7 * MS
"""What the encoder adds, rounded up."""


@dataclass
class Rtp:
    sequence_number: int
    timestamp: int
    payload: bytes
    ssrc: int = 1


class Wire:
    """A caller with a steady clock, and the clock of the daemon that hears him."""

    def __init__(self, frame_ms: int = 20, seconds: float = 3.0) -> None:
        self.at = 100.0
        self.inbound = Inbound(lambda: self.at)
        self.frame_ms = frame_ms
        frame = SPEAKING_HZ * frame_ms // 1000
        encoder = Encoder()
        voice = 8000 * np.sin(2 * np.pi * 300 * np.arange(int(seconds * SPEAKING_HZ)) / SPEAKING_HZ)
        self.packets = [
            Rtp(
                (65_500 + index) & 0xFFFF,
                (4_294_900_000 + index * 48 * frame_ms) & 0xFFFFFFFF,
                encoder.encode(voice[index * frame : (index + 1) * frame].astype(np.int16)),
            )
            for index in range(int(seconds * 1000 / frame_ms))
        ]

    @property
    def heard(self) -> Pcm:
        return self.inbound.ring.copy(0, self.inbound.ring.written)

    @property
    def ms(self) -> float:
        return self.inbound.ring.written / MS

    def arrive(self, *indices: int, spacing_ms: float | None = None) -> None:
        for index in indices:
            self.at += (self.frame_ms if spacing_ms is None else spacing_ms) / 1000.0
            self.inbound.add(self.packets[index])
            self.inbound.fill(self.at)

    def wait(self, ms: int) -> None:
        """Time passes, the tick goes on, nothing comes."""
        for _ in range(ms // 20):
            self.at += 0.020
            self.inbound.fill(self.at)


@pytest.fixture
def wire() -> Iterator[Wire]:
    wire = Wire()
    yield wire
    wire.inbound.close()


def voiced_ms(pcm: Pcm) -> float:
    """Milliseconds whose level is that of the tone."""
    size = 10 * MS
    windows = pcm[: len(pcm) // size * size].reshape(-1, size).astype(float)
    return float(np.count_nonzero(np.sqrt((windows**2).mean(axis=1)) > 2000) * 10)


def test_a_steady_stream_is_heard_packet_by_packet(wire: Wire) -> None:
    """Nothing is held back: a packet's samples are in the ring as soon as it has come."""
    wire.arrive(0)
    assert 20 == wire.ms

    wire.arrive(*range(1, 50))

    assert 1000 == wire.ms
    assert voiced_ms(wire.heard) >= 970
    assert (50, 0, 0) == (wire.inbound.packets, wire.inbound.lost, wire.inbound.concealed)


@pytest.mark.parametrize("frame_ms", [10, 20, 40, 60])
def test_packets_of_any_length_keep_time(frame_ms: int) -> None:
    wire = Wire(frame_ms)
    wire.arrive(*range(10))

    assert 10 * frame_ms == wire.ms
    wire.inbound.close()


def test_a_lost_packet_is_made_up_for(wire: Wire) -> None:
    """Time goes on as if it had come, and the tone does not break."""
    wire.arrive(*range(20), *range(21, 40))

    assert 800 == wire.ms
    assert voiced_ms(wire.heard[:]) >= 770
    assert (1, 20 * MS) == (wire.inbound.lost, wire.inbound.concealed)


def test_a_long_loss_is_made_up_for_100_ms_and_is_silence_then(wire: Wire) -> None:
    wire.arrive(*range(20))
    wire.arrive(*range(45, 60), spacing_ms=1)

    assert 1200 == wire.ms
    assert 25 == wire.inbound.lost
    assert 100 * MS == wire.inbound.concealed
    assert pytest.approx(700, abs=80) == voiced_ms(wire.heard)


def test_packets_that_changed_places_are_heard_in_order(wire: Wire) -> None:
    straight = Wire()
    straight.arrive(*range(10))
    wire.arrive(0, 1, 3, 2, 4, 5, 7, 6, 8, 9)

    np.testing.assert_array_equal(straight.heard, wire.heard)
    straight.inbound.close()


def test_a_duplicate_is_not_heard_twice(wire: Wire) -> None:
    wire.arrive(*range(10), 9, 9, 4, *range(10, 20))

    assert 400 == wire.ms
    assert 3 == wire.inbound.late


def test_silence_is_heard_while_nothing_comes(wire: Wire) -> None:
    """Time goes on for whoever listens, 40 to 60 ms behind the clock."""
    wire.arrive(*range(10))
    wire.wait(40)
    assert 200 == wire.ms

    wire.wait(460)

    assert pytest.approx(200 + 450, abs=11) == wire.ms


def test_a_pause_of_the_sender_is_not_counted_twice(wire: Wire) -> None:
    """The filler has written the pause; the next packet's timestamp says so too."""
    wire.arrive(*range(10))
    wire.wait(480)
    wire.arrive(*range(35, 45))
    wire.arrive(*range(45, 55))

    assert pytest.approx(200 + 500 + 400, abs=1) == wire.ms
    assert pytest.approx(600, abs=60) == voiced_ms(wire.heard)


def test_sound_that_comes_late_takes_the_place_of_the_silence_that_stood_in_for_it(
    wire: Wire,
) -> None:
    """A network that stalled for 400 ms and then delivers everything costs no speech."""
    steady = Wire()
    steady.arrive(*range(50))
    wire.arrive(*range(10))
    wire.wait(400)
    wire.arrive(*range(10, 31), spacing_ms=0.5)
    wire.arrive(*range(31, 50))

    np.testing.assert_array_equal(steady.heard, wire.heard)
    assert 0 == wire.inbound.lost
    steady.inbound.close()


def test_a_sender_whose_clock_stood_still_is_heard_again(wire: Wire) -> None:
    """His timestamps say that no time has passed; after 300 ms ours is believed instead."""
    wire.arrive(*range(10))
    wire.wait(1600)
    wire.arrive(*range(10, 100))

    assert wire.ms > 1700 + 90 * 20 - 400
    assert voiced_ms(wire.heard[-1000 * MS :]) >= 980


def test_a_caller_who_is_never_heard_lets_time_pass(wire: Wire) -> None:
    wire.wait(1000)

    assert pytest.approx(940, abs=20) == wire.ms
    assert pytest.approx(wire.at, abs=0.1) == wire.inbound.instant(wire.inbound.ring.written)


def test_the_last_packet_before_a_pause_is_not_held_back(wire: Wire) -> None:
    """Behind a gap one packet waits for a second that will not come: the filler lets it go."""
    wire.arrive(*range(10), 11)
    assert 200 == wire.ms

    wire.wait(80)

    assert voiced_ms(wire.heard) >= 210
    assert 1 == wire.inbound.lost


def test_another_source_is_heard_from_its_first_packet_on(wire: Wire) -> None:
    wire.arrive(*range(10))
    for packet in wire.packets[50:60]:
        wire.at += 0.020
        wire.inbound.add(Rtp(packet.sequence_number ^ 0x5555, 77, packet.payload, ssrc=2))
        break

    assert 220 == wire.ms
    assert 1 == wire.inbound.restarts


def test_a_timestamp_that_jumps_by_hours_adds_no_silence(wire: Wire) -> None:
    wire.arrive(*range(10))
    for index in range(10, 20):
        packet = wire.packets[index]
        jumped = (packet.timestamp + 48_000 * 7200) & 0xFFFFFFFF
        wire.at += 0.020
        wire.inbound.add(Rtp(packet.sequence_number, jumped, packet.payload))

    assert 400 == wire.ms


def test_sound_that_comes_faster_than_time_is_dropped() -> None:
    """Two seconds may come at once; a flood is not passed on to the detector of all calls."""
    wire = Wire(seconds=10.0)
    wire.arrive(*range(500), spacing_ms=1)

    assert 2000 < wire.ms < 2600 + 60
    assert wire.inbound.excess > 350
    wire.inbound.close()


def test_rubbish_and_emptiness_are_counted_and_never_raised(wire: Wire) -> None:
    wire.arrive(*range(5))
    nonsense = Rtp(wire.packets[5].sequence_number, wire.packets[5].timestamp, b"\xff\xff\xff")

    assert (False, None) == wire.inbound.add(nonsense)
    assert (False, None) == wire.inbound.add(Rtp(0, 0, b""))
    wire.at += 0.020
    wire.arrive(*range(6, 10))

    assert 1 == wire.inbound.undecodable
    assert 200 == wire.ms


def test_instants_are_those_of_capture_and_never_run_backwards(wire: Wire) -> None:
    """Delay that comes and goes does not move them: the quickest packets set the clock.

    The first packets wait for 200 ms, as they do when a connection is young.
    """
    rng = np.random.default_rng(5)
    newest = -1.0
    for index in range(140):
        delay = 0.2 if index < 5 else float(rng.uniform(0.0, 0.035))
        wire.at = max(wire.at, 200.0 + index * 0.020 + delay)
        wire.inbound.add(wire.packets[index])
        instant = wire.inbound.instant(wire.inbound.ring.written)
        assert instant > newest
        newest = instant

    assert pytest.approx(200.0 + 139 * 0.020, abs=0.004) == newest


def test_after_the_end_packets_are_ignored(wire: Wire) -> None:
    wire.arrive(*range(5))
    wire.inbound.close()
    wire.arrive(*range(5, 10))

    assert 5 == wire.inbound.packets
