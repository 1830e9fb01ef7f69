"""What work takes on a machine that others use too."""

import pytest

from voiced import clock
from voiced.bench.effort import Effort

pytestmark = pytest.mark.unit


def work(seconds: float) -> None:
    until = clock.now() + seconds
    while clock.now() < until:
        sum(range(1000))


def test_work_of_two_threads_takes_half_of_its_time() -> None:
    one, two = Effort(1), Effort(2)
    work(0.03)

    assert 0 < two.seconds < one.seconds


def test_waiting_is_not_work() -> None:
    """What somebody else does with the core is not counted."""
    begun = clock.now()
    effort = Effort(1)
    work(0.02)

    assert effort.seconds <= clock.now() - begun
