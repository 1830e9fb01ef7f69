"""Sequence numbers back into order."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voiced.rtc.reorder import Lost, Packet, Reorder, Restarted

pytestmark = pytest.mark.unit


@dataclass
class Rtp:
    sequence_number: int
    ssrc: int = 1
    timestamp: int = 0
    payload: bytes = b"x"


def story(numbers: list[int], reorder: Reorder | None = None) -> list[int | str]:
    """What leaves: numbers of packets, `-n` for n lost, `restart` for another stream."""
    reorder = reorder or Reorder()
    out: list[int | str] = []
    for number in numbers:
        for step in reorder.push(Rtp(number & 0xFFFF)):
            out.append(_word(step))
    return out[1:]  # every stream begins with a restart


def _word(step: Packet | Lost | Restarted) -> int | str:
    match step:
        case Lost(count, _):
            return f"-{count}"
        case Restarted():
            return "restart"
        case _:
            return step.sequence_number


def test_packets_in_order_go_straight_through() -> None:
    assert [7, 8, 9] == story([7, 8, 9])


def test_two_packets_that_changed_places_change_back() -> None:
    assert [1, 2, 3, 4] == story([1, 3, 2, 4])


def test_a_gap_is_given_up_when_two_later_packets_wait() -> None:
    assert [1] == story([1, 3])
    assert [1, "-1", 3, 4] == story([1, 3, 4])


def test_a_longer_gap_is_one_loss() -> None:
    assert [1, "-3", 5, 6] == story([1, 5, 6])


def test_a_packet_that_comes_after_it_was_given_up_is_late() -> None:
    reorder = Reorder()

    assert [1, "-1", 3, 4, 5] == story([1, 3, 4, 2, 5], reorder)
    assert (1, 1) == (reorder.lost, reorder.late)


def test_a_duplicate_is_heard_once() -> None:
    reorder = Reorder()

    assert [1, 2, 3] == story([1, 2, 2, 3, 1], reorder)
    assert 2 == reorder.late


def test_numbers_wrap_around() -> None:
    assert [65534, 65535, 0, 1] == story([65534, 65535, 65536, 65537])
    assert [65534, "-1", 0, 1] == story([65534, 65536, 65537])


def test_another_source_is_another_stream() -> None:
    reorder = Reorder()
    story([1, 2], reorder)

    steps = list(reorder.push(Rtp(900, ssrc=2)))

    assert ["restart", 900] == [_word(step) for step in steps]


@pytest.mark.parametrize("far", [40_000, 5000, -5000])
def test_a_far_jump_is_another_stream(far: int) -> None:
    assert [10_000, "restart", (10_000 + far) & 0xFFFF] == story([10_000, 10_000 + far])


def test_a_sender_that_starts_again_a_little_lower_is_heard_after_half_a_second() -> None:
    told = story([500, *range(100, 140)])

    assert [500, "restart", *range(125, 140)] == told


def test_what_waits_is_given_when_nothing_more_may_come() -> None:
    reorder = Reorder()
    story([1, 3], reorder)

    assert ["-1", 3] == [_word(step) for step in reorder.flush()]
    assert [] == list(reorder.flush())


@given(st.lists(st.integers(0, 0xFFFF), max_size=60))
def test_no_order_of_packets_makes_one_heard_twice_in_a_stream(numbers: list[int]) -> None:
    reorder = Reorder()
    heard: set[int] = set()
    for number in numbers:
        for step in reorder.push(Rtp(number)):
            match step:
                case Restarted():
                    heard.clear()
                case Lost(count, following):
                    assert count > 0
                    assert following.sequence_number not in heard
                case _:
                    assert step.sequence_number not in heard
                    heard.add(step.sequence_number)
        assert len(reorder._waiting) <= 2


@given(st.permutations(range(20)), st.integers(0, 0xFFFF))
def test_what_was_lost_late_or_heard_adds_up(order: list[int], start: int) -> None:
    reorder = Reorder()
    heard = 0
    for number in order:
        for step in reorder.push(Rtp((start + number) & 0xFFFF)):
            heard += isinstance(step, Rtp)
    heard += sum(isinstance(step, Rtp) for step in reorder.flush())

    assert 20 == heard + reorder.late
