"""What turns took of late: by minute, for an hour, in bounded memory."""

import pytest

from voiced.ops.recent import Recent, quantile

pytestmark = pytest.mark.unit


class Clock:
    def __init__(self) -> None:
        self.at = 600.0

    def __call__(self) -> float:
        return self.at


def test_each_minute_is_a_point_and_the_hour_is_one_spread() -> None:
    clock = Clock()
    recent = Recent(clock)
    for value in (100.0, 200.0, 300.0):
        recent.add("stt", value)
    clock.at += 120.0
    recent.add("stt", 50.0)
    spread = recent.spreads()["stt"]

    assert [(2, 200.0, 300.0), (0, 50.0, 50.0)] == list(spread.minutes)
    assert (200.0, 300.0) == (spread.p50, spread.p95)


def test_what_is_older_than_an_hour_is_forgotten_though_nothing_comes_after_it() -> None:
    clock = Clock()
    recent = Recent(clock)
    recent.add("stt", 100.0)
    clock.at += 59 * 60.0
    assert ["stt"] == list(recent.spreads())
    clock.at += 60.0

    assert [] == list(recent.spreads())


def test_a_minute_holds_so_many_values_and_no_more() -> None:
    recent = Recent(Clock())
    for value in range(10_000):
        recent.add("stt", float(value))

    assert 475.0 == recent.spreads()["stt"].p95


@pytest.mark.parametrize(("share", "expected"), [(0.0, 1.0), (0.5, 3.0), (0.95, 5.0), (1.0, 5.0)])
def test_quantiles(share: float, expected: float) -> None:
    assert expected == quantile([5.0, 1.0, 3.0, 2.0, 4.0], share)
