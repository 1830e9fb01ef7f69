"""Keys of a telephone: each press once, and nothing of the sound is lost for them."""

from dataclasses import dataclass
from typing import Any

import pytest

from voiced.rtc.keypad import Keypad
from voiced.words import Words

pytestmark = pytest.mark.unit

KEYS = 101


@dataclass
class Rtp:
    sequence_number: int
    timestamp: int
    payload: bytes
    payload_type: int = KEYS
    ssrc: int = 1


class Sound:
    def __init__(self) -> None:
        self.added: list[Any] = []

    def add(self, packet: Any) -> tuple[bool, None]:
        self.added.append(packet)
        return False, None


def event(number: int, key: int, at: int, duration: int, *, over: bool = False) -> Rtp:
    return Rtp(number, at, bytes([key, 0x80 * over | 10]) + duration.to_bytes(2, "big"))


def pressed(*packets: Rtp) -> tuple[str, Sound]:
    sound, keys = Sound(), list[Words]()
    keypad = Keypad(sound, KEYS, keys.append)
    for packet in packets:
        assert (False, None) == keypad.add(packet)
    return "".join(key.reveal() for key in keys), sound


def a_press(key: int, number: int, at: int) -> list[Rtp]:
    """As a gateway sends it: five packets, and the end three times."""
    begun = [event(number + i, key, at, 160 * (i + 1)) for i in range(5)]
    return [*begun, *(event(number + 5 + i, key, at, 960, over=True) for i in range(3))]


def test_each_press_is_told_once() -> None:
    packets = [*a_press(1, 10, 1000), *a_press(1, 20, 3000), *a_press(10, 30, 5000)]

    assert "11*" == pressed(*packets)[0]


def test_a_press_of_which_only_the_end_came_is_told() -> None:
    assert "5" == pressed(*a_press(5, 10, 1000)[5:])[0]


def test_late_packets_of_a_press_that_was_told_are_no_press() -> None:
    first, second = a_press(1, 10, 4_294_967_000), a_press(2, 20, 100)

    assert "12" == pressed(*first, *second, *first[2:4])[0]


def test_sound_goes_on_and_numbers_that_presses_take_are_not_missing() -> None:
    voice = Rtp(9, 900, b"voice", payload_type=0)
    sound = pressed(voice, *a_press(3, 10, 1000))[1]

    assert voice is sound.added[0]
    assert [*range(10, 18)] == [packet.sequence_number for packet in sound.added[1:]]
    assert {b""} == {packet.payload for packet in sound.added[1:]}


@pytest.mark.parametrize("payload", [b"", b"\x01\x0a\x00", b"\x10\x0a\x00\xa0", b"\xff" * 4])
def test_what_is_no_key_is_none(payload: bytes) -> None:
    assert "" == pressed(Rtp(1, 1, payload))[0]
