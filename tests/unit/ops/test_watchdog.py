"""Who is stuck: told the time, and shown what threads show of themselves."""

from dataclasses import dataclass

import pytest

from voiced.ops.watchdog import Stuck, Watchdog

pytestmark = pytest.mark.unit

BEAT_S = 2.5
LIMIT_S = 10.0


@dataclass
class Thread:
    """As a worker shows itself."""

    progressed_at: float = 0.0
    busy: bool = False


def looks(watchdog: Watchdog, *instants: float) -> tuple[Stuck, ...]:
    """What the last of some looks says."""
    found: tuple[Stuck, ...] = ()
    for at in instants:
        found = watchdog.look(at)
    return found


def every(beat_s: float, seconds: float, since: float = 0.0) -> list[float]:
    return [since + beat_s * (number + 1) for number in range(int(seconds / beat_s))]


@pytest.fixture
def thread() -> Thread:
    return Thread()


@pytest.fixture
def watchdog(thread: Thread) -> Watchdog:
    watchdog = Watchdog(BEAT_S)
    watchdog.add("stt", thread, LIMIT_S)
    watchdog.look(0.0)
    return watchdog


def test_a_thread_without_work_may_be_silent_for_days(watchdog: Watchdog) -> None:
    assert () == looks(watchdog, *every(BEAT_S, 600))


def test_a_thread_that_works_and_does_not_move_is_stuck(watchdog: Watchdog, thread: Thread) -> None:
    thread.busy = True

    assert () == looks(watchdog, *every(BEAT_S, LIMIT_S))
    assert (Stuck("stt", LIMIT_S + BEAT_S),) == watchdog.look(LIMIT_S + BEAT_S)


def test_a_flood_of_work_is_no_hang(watchdog: Watchdog, thread: Thread) -> None:
    """Busy without a moment's rest, for an hour: but each job moves it."""
    thread.busy = True
    found = []
    for at in every(BEAT_S, 3600):
        thread.progressed_at = at - 0.1
        found += watchdog.look(at)

    assert [] == found


def test_slow_work_is_no_hang_while_it_is_within_its_limit(
    watchdog: Watchdog, thread: Thread
) -> None:
    """Each job takes nearly all that it may; the silences of different jobs do not add up."""
    thread.busy = True
    found = []
    for at in every(BEAT_S, 200):
        thread.progressed_at = at // LIMIT_S * LIMIT_S
        found += watchdog.look(at)

    assert [] == found


def test_a_thread_that_moves_again_is_well_again(watchdog: Watchdog, thread: Thread) -> None:
    thread.busy = True
    assert looks(watchdog, *every(BEAT_S, 30))

    thread.progressed_at = 31.0
    assert () == watchdog.look(32.5)


def test_a_machine_that_was_paused_is_no_hang(watchdog: Watchdog, thread: Thread) -> None:
    """The hypervisor took an hour for itself: nobody looked, and nobody could move."""
    thread.busy = True

    assert () == looks(watchdog, 2.5, 3600.0)


def test_one_that_hangs_is_found_although_looks_are_late(
    watchdog: Watchdog, thread: Thread
) -> None:
    """Late looks count for at most two: it takes longer to be sure, and no more than that."""
    thread.busy = True

    assert looks(watchdog, 20.0, 40.0, 60.0)


def test_each_thread_has_a_limit_of_its_own(watchdog: Watchdog) -> None:
    watchdog.add("rtc", Thread(busy=True), 5.0)

    assert ["rtc"] == [one.name for one in looks(watchdog, *every(BEAT_S, 7.5))]
