"""What one side of a call says, as the other hears it."""

from collections.abc import Iterator

import numpy as np
import pytest

from voiced.audio.pcm import HEARING_FRAME, SPEAKING_FRAME, Pcm
from voiced.flow.ring import Ring
from voiced.flow.through import SLACK, Through

pytestmark = pytest.mark.unit

LEVEL = 4000


@pytest.fixture
def ring() -> Iterator[Ring]:
    ring = Ring(HEARING_FRAME * 200)
    yield ring
    ring.close()


def sound(frames: int, level: int = LEVEL) -> Pcm:
    return np.full(frames * HEARING_FRAME, level, np.int16)


def level(frame: Pcm) -> int:
    return int(np.median(frame))


def test_what_is_said_is_heard_at_the_same_pace(ring: Ring) -> None:
    through = Through(ring)
    frames = []
    for _ in range(50):
        ring.write(sound(1))
        frames.append(through.tick(0.0))

    assert {SPEAKING_FRAME} == {len(frame) for frame in frames}
    first = next(number for number, frame in enumerate(frames) if level(frame))
    assert first <= SLACK // HEARING_FRAME + 2
    assert [LEVEL] * (48 - first) == [level(frame) for frame in frames[first + 2 :]]


def test_what_was_said_before_is_not_heard(ring: Ring) -> None:
    ring.write(sound(100, level=9000))
    through = Through(ring)
    heard = []
    for _ in range(20):
        ring.write(sound(1))
        heard.append(level(through.tick(0.0)))

    assert 9000 not in heard


def test_a_gap_is_silence_and_no_old_sound_is_heard_again(ring: Ring) -> None:
    through = Through(ring)
    for _ in range(20):
        ring.write(sound(1))
        through.tick(0.0)
    gap = [level(through.tick(0.0)) for _ in range(20)]
    after = []
    for _ in range(20):
        ring.write(sound(1, level=7000))
        after.append(level(through.tick(0.0)))

    assert [0] * 10 == gap[-10:]
    assert LEVEL not in after[5:]
    assert [7000] * 10 == after[-10:]


def test_sound_that_has_piled_up_is_left_out(ring: Ring) -> None:
    through = Through(ring)
    ring.write(sound(50, level=9000))
    ring.write(sound(5))
    heard = []
    for _ in range(20):
        ring.write(sound(1))
        heard.append(level(through.tick(0.0)))

    assert 9000 not in heard
    assert [LEVEL] * 10 == heard[-10:]


def test_of_a_ring_that_is_closed_nothing_is_heard(ring: Ring) -> None:
    through = Through(ring)
    ring.write(sound(9))
    ring.close()

    assert {0} == {level(through.tick(0.0)) for _ in range(20)}
