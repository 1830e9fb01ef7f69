"""Ours and a baseline in turn."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voiced.bench.harness import Comparison, Spread, alternate, percentile

pytestmark = pytest.mark.unit


def test_ours_and_the_baseline_take_turns_after_a_warm_up_pair() -> None:
    order = []

    def ours() -> float:
        order.append("A")
        return 1.0

    def baseline() -> float:
        order.append("B")
        return 2.0

    comparison = alternate(ours, baseline, rounds=2)

    assert list("ABABAB") == order
    assert (1.0, 1.0) == comparison.ours.values


def test_the_warm_up_pair_does_not_count() -> None:
    ours: Iterator[float] = iter([100.0, 1.0, 1.0])
    baseline: Iterator[float] = iter([100.0, 4.0, 4.0])

    comparison = alternate(lambda: next(ours), lambda: next(baseline), rounds=2)

    assert 0.25 == comparison.ratio


def test_a_machine_that_slows_down_does_not_move_the_ratio() -> None:
    """Each pair is compared with itself: 1:2 throughout, though the last costs ten times more."""
    comparison = Comparison(Spread((1.0, 5.0, 10.0)), Spread((2.0, 10.0, 20.0)))

    assert 0.5 == comparison.ratio


def test_the_json_form_names_ratio_and_both_sides() -> None:
    comparison = Comparison(Spread((1.0, 3.0)), Spread((2.0, 6.0)))

    assert {
        "latency_ratio": 0.5,
        "latency": {"p50": 2.0, "p95": 3.0, "count": 2},
        "baseline_latency": {"p50": 4.0, "p95": 6.0, "count": 2},
    } == comparison.json("latency")


@pytest.mark.parametrize(("percent", "expected"), [(50, 2.0), (95, 4.0), (0, 1.0), (100, 4.0)])
def test_a_percentile_is_one_of_the_values(percent: float, expected: float) -> None:
    assert expected == percentile([4.0, 1.0, 3.0, 2.0], percent)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1), st.floats(0, 100))
def test_at_least_that_share_lies_at_or_below_a_percentile(
    values: list[float], percent: float
) -> None:
    below = sum(value <= percentile(values, percent) for value in values)

    assert below >= len(values) * percent / 100 - 1e-9


@pytest.mark.parametrize("rounds", [0, -1])
def test_nothing_is_compared_without_a_round(rounds: int) -> None:
    with pytest.raises(ValueError, match="at least one"):
        alternate(lambda: 1.0, lambda: 1.0, rounds)


def test_a_baseline_that_costs_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="costs nothing"):
        alternate(lambda: 1.0, lambda: 0.0, rounds=1)


def test_an_empty_spread_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        Spread(())
