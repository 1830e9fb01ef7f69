"""What the callers of a soak do follows from its seed."""

from itertools import islice

import pytest

from voiced.testing.soak import AT_ONCE, Plan, plans
from voiced.testing.tones import CALLERS, Fault

pytestmark = pytest.mark.unit


def some(seed: int, lane: int, count: int = 200) -> list[Plan]:
    return list(islice(plans(seed, lane), count))


def test_the_same_seed_is_the_same_story_and_another_one_is_not() -> None:
    assert some(7, 0) == some(7, 0)
    assert some(7, 0) != some(8, 0)
    assert some(7, 0) != some(7, 1)


def test_no_two_callers_at_once_hum_the_same() -> None:
    numbers = [{plan.caller for plan in some(7, lane)} for lane in range(AT_ONCE)]
    hummed = [{n + second for n in lane for second in (0, 1)} for lane in numbers]

    assert sum(map(len, hummed)) == len(set().union(*hummed))
    assert max(set().union(*hummed)) < CALLERS


def test_all_that_can_go_wrong_comes_up() -> None:
    every = [plan for lane in range(AT_ONCE) for plan in some(7, lane)]

    assert {*Fault} == {question.fault for plan in every for question in plan.questions}
    assert 5 == len({plan.ending for plan in every})
    assert 0.09 < max(plan.weather.loss for plan in every) <= 0.1
    assert 70 < max(plan.weather.jitter_ms for plan in every) <= 80
