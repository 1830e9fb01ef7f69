"""Sound between two threads: nothing torn, nothing twice, and losses are counted."""

import sys
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voiced.audio.pcm import Pcm
from voiced.flow.ring import Ring

pytestmark = pytest.mark.unit


@pytest.fixture
def hurried() -> Iterator[None]:
    """The interpreter changes threads as often as it can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.fixture
def ring() -> Iterator[Ring]:
    ring = Ring(100)
    yield ring
    ring.close()


def counted(start: int, stop: int) -> Pcm:
    """Sound in which each sample is its own position."""
    return np.arange(start, stop).astype(np.int16)


def test_what_is_written_is_taken_in_order(ring: Ring) -> None:
    ring.write(counted(0, 30))
    ring.write(counted(30, 50))

    assert [counted(0, 40).tolist(), None] == [_list(ring.take(40)), _list(ring.take(40))]


def test_a_window_that_crosses_the_seam_is_whole(ring: Ring) -> None:
    ring.write(counted(0, 80))
    ring.take(80)
    ring.write(counted(80, 160))

    assert counted(80, 160).tolist() == _list(ring.take(80))


def test_a_late_reader_loses_the_oldest_and_it_is_counted(ring: Ring) -> None:
    ring.write(counted(0, 100))
    ring.write(counted(100, 130))

    assert (counted(30, 60).tolist(), 30) == (_list(ring.take(30)), ring.overrun)


def test_copy_reaches_back_before_what_was_taken(ring: Ring) -> None:
    """The recogniser gets the sound before the first voiced window."""
    ring.write(counted(0, 60))
    ring.take(60)

    assert counted(20, 60).tolist() == ring.copy(20, 60).tolist()


def test_copy_gives_what_there_is_and_no_more(ring: Ring) -> None:
    """What is gone is missing at the front, what is to come at the end."""
    ring.write(counted(0, 100))
    ring.write(counted(100, 150))

    assert [counted(50, 150).tolist(), []] == [
        ring.copy(0, 500).tolist(),
        ring.copy(150, 160).tolist(),
    ]


def test_the_whole_ring_can_be_copied(ring: Ring) -> None:
    ring.write(counted(0, 100))

    assert counted(0, 100).tolist() == ring.copy(0, 100).tolist()


def test_more_than_the_ring_holds_is_refused(ring: Ring) -> None:
    with pytest.raises(ValueError, match="101 samples do not fit a ring of 100"):
        ring.write(counted(0, 101))


def test_a_late_packet_is_patched_into_its_place(ring: Ring) -> None:
    """Also over the seam, and only where the ring still has the place."""
    ring.write(counted(0, 100))
    ring.write(np.zeros(40, np.int16))
    ring.patch(90, counted(90, 120))
    ring.patch(20, np.full(25, -1, np.int16))
    ring.patch(135, counted(135, 150))

    expected = counted(40, 140)
    expected[:5] = -1
    expected[80:95] = 0
    assert (expected.tolist(), 140) == (ring.copy(0, 140).tolist(), ring.written)


def test_a_ring_that_is_closed_twice_is_closed() -> None:
    ring = Ring(10)
    ring.close()
    ring.close()


def test_a_window_that_is_overwritten_while_it_is_copied_is_not_given(ring: Ring) -> None:
    """The writer comes round between the reader's look at the position and its copy."""
    ring.write(counted(0, 100))
    meddle(ring, reading=lambda: ring.write(counted(100, 150)))

    assert (counted(50, 90).tolist(), 50) == (_list(ring.take(40)), ring.overrun)


def test_a_copy_gives_up_what_is_overwritten_meanwhile(ring: Ring) -> None:
    ring.write(counted(0, 100))
    meddle(ring, reading=lambda: ring.write(counted(100, 150)))

    assert counted(50, 90).tolist() == ring.copy(0, 90).tolist()


def test_what_is_being_overwritten_is_not_given_before_it_is_published(ring: Ring) -> None:
    """The reader looks while half of a write is in place."""
    ring.write(counted(0, 100))
    seen: list[list[int] | None] = []
    meddle(ring, writing=lambda: seen.append(_list(ring.take(40))))
    ring.write(counted(100, 130))

    assert [counted(30, 70).tolist()] == seen


def test_a_reader_that_is_late_for_the_close_gets_nothing() -> None:
    ring = Ring(100)
    ring.write(counted(0, 100))
    ring.close()

    assert (None, 0) == (ring.take(40), len(ring.copy(0, 100)))


def test_sound_that_comes_after_the_close_is_dropped() -> None:
    """The network's thread may be in the middle of a packet when a call ends."""
    ring = Ring(100)
    ring.close()
    ring.write(counted(0, 60))
    ring.patch(10, counted(10, 20))

    assert (None, 60) == (ring.take(10), ring.written)


def test_a_close_in_the_middle_of_a_write_does_no_harm(ring: Ring) -> None:
    ring.write(counted(0, 80))
    meddle(ring, writing=ring.close)
    ring.write(counted(80, 140))

    assert None is ring.take(10)


@pytest.mark.usefixtures("hurried")
def test_a_reader_beside_a_writer_never_sees_torn_sound() -> None:
    """The writer laps the reader all the time; what is taken is still gapless within a window,
    and every sample is either taken once or counted as overrun.

    Windows are over 500 samples, since numpy copies those without the interpreter's lock.
    """
    ring, window, blocks = Ring(2048), 700, 2000
    begun = threading.Event()

    def write() -> None:
        begun.wait()
        for block in range(blocks):
            ring.write(counted(block * window, (block + 1) * window))

    writer = threading.Thread(target=write)
    writer.start()
    begun.set()
    torn = taken = 0
    while writer.is_alive() or ring.written - ring.taken >= window:
        pcm = ring.take(window)
        if pcm is not None:
            taken += window
            start = ring.taken - window
            torn += not np.array_equal(counted(start, start + window), pcm)
    writer.join()
    ring.close()

    assert (0, blocks * window) == (torn, taken + ring.overrun + ring.written - ring.taken)


@pytest.mark.usefixtures("hurried")
def test_a_copy_beside_a_writer_never_holds_what_was_overwritten() -> None:
    ring, block, blocks = Ring(2048), 1000, 2000

    def write() -> None:
        for number in range(blocks):
            ring.write(counted(number * block, (number + 1) * block))

    writer = threading.Thread(target=write)
    writer.start()
    torn = 0
    while writer.is_alive():
        stop = ring.written
        pcm = ring.copy(stop - 2000, stop)
        torn += not np.array_equal(counted(stop - len(pcm), stop), pcm)
    writer.join()
    ring.close()

    assert 0 == torn


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.integers(1, 32)), max_size=60))
def test_every_sample_is_taken_once_or_counted_as_lost(steps: list[tuple[bool, int]]) -> None:
    ring = Ring(32)
    heard: list[int] = []
    for writes, count in steps:
        if writes:
            ring.write(counted(ring.written, ring.written + count))
        elif (pcm := ring.take(count)) is not None:
            assert counted(ring.taken - count, ring.taken).tolist() == pcm.tolist()
            heard += pcm.tolist()
    ring.close()

    assert (sorted(set(heard)), ring.taken) == (heard, len(heard) + ring.overrun)


def meddle(
    ring: Ring, reading: Callable[[], None] | None = None, writing: Callable[[], None] | None = None
) -> None:
    """The other thread runs once, just before samples are read, or just after some are written."""
    honest = ring._memory
    reads, writes = [reading] if reading else [], [writing] if writing else []

    class Meddled:
        def __len__(self) -> int:
            return len(honest.samples)

        def __getitem__(self, place: slice) -> Pcm:
            if reads:
                ring._memory = honest
                reads.pop()()
            return honest.samples[place]

        def __setitem__(self, place: slice, pcm: Pcm) -> None:
            samples[place] = pcm
            if writes:
                ring._memory = honest
                writes.pop()()

    samples = honest.samples
    ring._memory = SimpleNamespace(samples=Meddled())  # type: ignore[assignment]


def _list(pcm: Pcm | None) -> list[int] | None:
    return None if pcm is None else [int(sample) for sample in pcm]


def test_late_sound_replaces_what_stood_in_for_it() -> None:
    """What was taken stays taken; whoever copies later gets the late sound."""
    ring = Ring(10)
    ring.write(np.zeros(8, np.int16))
    ring.take(4)
    ring.patch(2, np.array([5, 6, 7], np.int16))

    assert [0, 0, 5, 6, 7, 0, 0, 0] == ring.copy(0, 8).tolist()
    assert (8, 4) == (ring.written, ring.taken)
    ring.close()


@given(st.integers(0, 40), st.integers(-30, 60), st.integers(0, 30))
def test_a_patch_never_reaches_beyond_what_the_ring_holds(
    written: int, start: int, count: int
) -> None:
    ring = Ring(16)
    expected = np.arange(1, 61, dtype=np.int16)
    for at in range(0, written, 8):
        ring.write(expected[at : min(at + 8, written)])
    ring.patch(start, np.full(count, -1, np.int16))
    expected[max(start, 0) : max(start + count, 0)] = -1

    oldest = max(written - 16, 0)
    assert expected[oldest:written].tolist() == ring.copy(oldest, written).tolist()
    ring.close()
