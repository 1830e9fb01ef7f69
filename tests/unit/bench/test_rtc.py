"""What the measurements of the edge become."""

import pytest

from voiced.bench.rtc import Taken, added_ms, below, shown
from voiced.errors import UnavailableError

pytestmark = pytest.mark.unit


def test_each_click_is_matched_with_the_first_that_was_heard_after_it() -> None:
    heard = [0.9, 1.0075, 1.5, 2.3]

    assert [7.5, 300.0] == pytest.approx(added_ms([1.0, 2.0], heard))


def test_a_click_that_nobody_heard_is_told_and_not_left_out() -> None:
    """Else a side that loses sound would look as fast as its best packets."""
    with pytest.raises(UnavailableError, match="overloaded"):
        added_ms([1.0, 2.0], [1.1])


def test_a_share_of_the_ticks_kept_a_bound_of_the_histogram() -> None:
    late = {"1.0": 98.0, "2.0": 99.0, "10.0": 99.0, "+Inf": 100.0}

    assert [1.0, 2.0, float("inf")] == [below(late, share) for share in (0.5, 0.99, 1.0)]


def test_the_keys_are_those_of_the_contract() -> None:
    ours = Taken([7.0, 8.0, 20.0], [9.0], [2.0], {"1.0": 99.0, "5.0": 100.0, "+Inf": 100.0})
    stock = Taken([88.0], [288.0], [5.0])

    assert {
        "added_ms_clean": 8.0,
        "added_ms_after_loss": 9.0,
        "cpu_percent_per_call": 2.0,
        "stock_added_ms_clean": 88.0,
        "stock_added_ms_after_loss": 288.0,
        "stock_cpu_percent_per_call": 5.0,
        "lateness_ms": {"p50": 1.0, "p99": 1.0},
        "calls": 8,
    } == shown({"ours": ours, "stock": stock}, 8)
