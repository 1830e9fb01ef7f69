"""An hour in which the caller's clock and ours run apart: where a sample is heard stays right."""

import random
from dataclasses import dataclass

import numpy as np
import pytest

from voiced.audio.pcm import HEARING_HZ, Pcm
from voiced.rtc.codec import Codec
from voiced.rtc.inbound import Inbound
from voiced.rtc.timeline import CaptureClock

pytestmark = pytest.mark.unit

PACKET_S = 0.060
SAMPLES = int(HEARING_HZ * PACKET_S)
HOUR_S = 3600.0
DELAY_S = 0.010
JITTER_S = 0.030


@dataclass(slots=True)
class Rtp:
    sequence_number: int
    timestamp: int
    payload: bytes = b"x"
    ssrc: int = 1


class Plain:
    """Sound whose content does not matter: an hour of it must not take one."""

    def __init__(self) -> None:
        self._sound: Pcm = np.ones(SAMPLES, np.int16)

    def decode(self, _packet: bytes) -> Pcm:
        return self._sound

    def conceal(self, count: int) -> Pcm:
        return np.zeros(count, np.int16)

    def recover(self, _following: bytes, count: int) -> Pcm:
        return np.zeros(count, np.int16)


PLAIN = Codec("audio/plain", 48_000, lambda _packet: SAMPLES, Plain, Plain)  # type: ignore[arg-type]


class Hour:
    """A caller whose clock is so much faster than ours, on a network with jitter."""

    def __init__(self, ppm: float, *, gaps: bool) -> None:
        self.at = 0.0
        self.errors: list[float] = []
        """How far off the instant is of the sample that has just come."""
        self.strays: list[float] = []
        """How much more or less of the call lies in the ring than has passed at the caller's."""
        self.inbound = Inbound(lambda: self.at)
        self.inbound.begin(PLAIN)
        self._chance = random.Random(int(ppm))
        self._gaps = gaps
        self._pace = 1 / (1 + ppm * 1e-6)

    def live(self) -> None:
        ring = self.inbound.ring
        for number in range(int(HOUR_S / PACKET_S)):
            spoken_at = (number + 1) * PACKET_S * self._pace
            talking = not self._gaps or number % 150 < 90  # of each nine seconds, five and a half
            delay = DELAY_S + self._chance.random() * JITTER_S
            self.at = max(self.at, spoken_at + delay)
            if talking:
                packet = Rtp(number & 0xFFFF, (number * SAMPLES * 3) & 0xFFFFFFFF)
                self.inbound.add(packet)
            self.inbound.fill(self.at)
            if talking and number % 150 > 10 and self.at > 30.0:
                self.errors.append(self.inbound.instant(ring.written) - spoken_at - DELAY_S)
                self.strays.append(ring.written / HEARING_HZ - (number + 1) * PACKET_S)
        self.inbound.close()


@pytest.mark.parametrize("ppm", [200, -200])
@pytest.mark.parametrize("gaps", [False, True], ids=["always-sending", "silent-in-pauses"])
@pytest.mark.timeout(60)
def test_the_heard_position_stays_within_20_ms_for_an_hour(ppm: float, gaps: bool) -> None:
    """And the silence that fills the gaps is counted once."""
    hour = Hour(ppm, gaps=gaps)
    hour.live()

    assert max(map(abs, hour.errors)) < 0.020
    assert max(hour.strays) - min(hour.strays) < 0.100


def test_the_line_follows_the_drift_and_not_the_jitter() -> None:
    chance, clock = random.Random(5), CaptureClock()
    for number in range(3000):
        end = number * 320
        clock.arrived(end, 100 + end / HEARING_HZ * (1 - 200e-6) + chance.random() * 0.03, False)

    later = 3000 * 320 + 30 * HEARING_HZ
    assert 100 + later / HEARING_HZ * (1 - 200e-6) == pytest.approx(clock.instant(later), abs=0.002)


def test_a_way_that_became_longer_is_noticed_within_ten_seconds() -> None:
    clock = CaptureClock()
    for number in range(3000):
        end = number * 320
        clock.arrived(end, end / HEARING_HZ + (0.010 if number < 2400 else 0.060), False)

    assert 60.060 == pytest.approx(clock.instant(60 * HEARING_HZ), abs=0.005)
