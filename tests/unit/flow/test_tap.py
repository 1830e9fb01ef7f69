"""A copy of what the caller was sent, in step with the clock."""

from collections.abc import Iterator

import numpy as np
import pytest

from voiced.audio.pcm import FRAME_S, SPEAKING_FRAME, SPEAKING_HZ, Pcm
from voiced.flow.cancel import Live
from voiced.flow.playout import Playout
from voiced.flow.tap import CAPACITY, Tap

pytestmark = pytest.mark.unit

FRAME: Pcm = np.full(SPEAKING_FRAME, 7, np.int16)


@pytest.fixture
def tap() -> Iterator[Tap]:
    tap = Tap()
    yield tap
    tap.close()


def test_each_frame_is_there_once_and_in_order(tap: Tap) -> None:
    for number in range(3):
        tap.write(np.full(SPEAKING_FRAME, number, np.int16), 5.0 + number * FRAME_S)

    assert [0, 1, 2] == [int(x) for x in tap.ring.copy(0, CAPACITY)[::SPEAKING_FRAME]]


def test_a_tick_that_is_a_little_late_leaves_no_gap(tap: Tap) -> None:
    tap.write(FRAME, 5.0)
    tap.write(FRAME, 5.08)

    assert 2 * SPEAKING_FRAME == tap.ring.written


@pytest.mark.parametrize("pause_s", [0.5, 7.25])
def test_frames_that_were_left_out_are_silence(tap: Tap, pause_s: float) -> None:
    """Else all that follows would stand too early beside what the caller said."""
    tap.write(FRAME, 5.0)
    tap.write(FRAME, 5.0 + pause_s)

    begun = int(pause_s * SPEAKING_HZ)
    assert begun + SPEAKING_FRAME == pytest.approx(tap.ring.written, abs=SPEAKING_FRAME)
    assert FRAME.tolist() == tap.ring.copy(tap.ring.written - SPEAKING_FRAME, 1 << 40).tolist()
    assert 0 == np.count_nonzero(tap.ring.copy(SPEAKING_FRAME, tap.ring.written - SPEAKING_FRAME))


def test_a_playout_without_a_tap_copies_nothing_and_one_with_it_every_tick() -> None:
    playout = Playout(Live(), lambda _played: None)
    playout.tick(0.0)
    playout.tap = tap = Tap()
    for number in range(1, 4):
        playout.tick(number * FRAME_S)

    assert 3 * SPEAKING_FRAME == tap.ring.written
    playout.close()
    tap.close()
    playout.tick(1.0)
