"""What is let through after failures, and when it is tried again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voiced.flow.breaker import Breaker, Circuit

pytestmark = pytest.mark.unit


def opened(at: float = 0.0) -> Breaker:
    breaker = Breaker(failures=2, pause_s=10.0)
    for _ in range(2):
        assert breaker.admits(at)
        breaker.failed(at)
    return breaker


def test_it_opens_after_failures_in_a_row() -> None:
    breaker = Breaker(failures=2, pause_s=10.0)
    breaker.failed(0.0)
    breaker.succeeded()
    breaker.failed(1.0)

    assert breaker.admits(1.0)
    breaker.failed(2.0)
    assert not breaker.admits(2.0)


def test_after_the_pause_one_trial_is_let_through() -> None:
    breaker = opened()

    assert [False, True, False] == [breaker.admits(at) for at in (9.9, 10.0, 10.0)]
    assert Circuit.HALF_OPEN is breaker.circuit


def test_a_trial_that_fails_opens_it_again_for_a_whole_pause() -> None:
    breaker = opened()
    assert breaker.admits(10.0)
    breaker.failed(11.0)

    assert [False, True] == [breaker.admits(at) for at in (20.9, 21.0)]


def test_a_trial_that_succeeds_closes_it() -> None:
    breaker = opened()
    assert breaker.admits(10.0)
    breaker.succeeded()

    assert [True, True] == [breaker.admits(10.0), breaker.admits(10.0)]


def test_a_trial_that_was_given_up_lets_the_next_one_try() -> None:
    """A caller who barges in says nothing about the voice."""
    breaker = opened()
    assert breaker.admits(10.0)
    breaker.unknown()

    assert breaker.admits(10.0)


@given(st.lists(st.tuples(st.sampled_from(["failed", "succeeded", "unknown"]), st.floats(0, 30))))
def test_it_is_never_shut_for_good(steps: list[tuple[str, float]]) -> None:
    """Whatever happened, somebody is let through once the pause is over."""
    breaker, at = Breaker(failures=2, pause_s=10.0), 0.0
    for step, passed_s in steps:
        at += passed_s
        if breaker.admits(at):
            if step == "failed":
                breaker.failed(at)
            else:
                getattr(breaker, step)()

    assert breaker.admits(at + 10.0)
