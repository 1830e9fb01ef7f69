"""Who asks too often waits, and nobody else does."""

import pytest

from voiced.web.limits import Rate

pytestmark = pytest.mark.unit


def test_a_minutes_worth_may_come_at_once_and_then_one_after_the_other() -> None:
    rate = Rate(60)

    assert [0.0] * 60 == [rate.take("a", 10.0) for _ in range(60)]
    assert 1.0 == pytest.approx(rate.take("a", 10.0))
    assert 0.5 == pytest.approx(rate.take("a", 10.5))
    assert [0.0, 1.0] == pytest.approx([rate.take("a", 11.0), rate.take("a", 11.0)])


def test_nobody_waits_for_another() -> None:
    rate = Rate(1)

    assert [0.0, 60.0, 0.0] == [rate.take(who, 0.0) for who in ("a", "a", "b")]


def test_a_bucket_is_never_fuller_than_a_minutes_worth() -> None:
    rate = Rate(2)

    assert [0.0, 0.0] == [rate.take("a", 0.0), rate.take("a", 0.0)]
    assert [0.0, 0.0, 30.0] == [rate.take("a", 3600.0) for _ in range(3)]


def test_without_a_limit_nothing_is_counted() -> None:
    rate = Rate(0)

    assert {0.0} == {rate.take("a", 0.0) for _ in range(1000)}
    assert 0 == len(rate)


def test_many_subjects_cost_no_memory() -> None:
    rate = Rate(1)
    for number in range(20_000):
        rate.take(str(number), 0.0)

    assert 10_000 == len(rate)
    assert 0.0 < rate.take("19999", 0.0)
