"""A step uses all threads only where that is clearly faster."""

from collections import Counter

import pytest

from voiced.llm.threads import Threads

pytestmark = pytest.mark.unit


def chosen(threads: Threads, tokens: int, one_s: float, all_s: float, steps: int = 96) -> Counter:
    found: Counter = Counter()
    for _ in range(steps):
        count = threads.choose(tokens)
        threads.learn(tokens, count, one_s if count == 1 else all_s)
        found[count] += 1
    return found


def test_all_threads_are_used_where_they_are_faster() -> None:
    found = chosen(Threads(2), 4, one_s=0.057, all_s=0.031)

    assert found[2] >= 85


def test_one_thread_is_used_where_another_engine_has_the_other_core() -> None:
    found = chosen(Threads(2), 4, one_s=0.060, all_s=0.160)

    assert found[1] >= 85


def test_one_thread_is_used_where_more_gain_nothing() -> None:
    found = chosen(Threads(2), 1, one_s=0.0108, all_s=0.0101)

    assert found[1] >= 85


def test_when_the_machine_becomes_quiet_the_threads_come_back() -> None:
    threads = Threads(2)
    chosen(threads, 4, one_s=0.060, all_s=0.160)
    chosen(threads, 4, one_s=0.057, all_s=0.031, steps=128)

    assert chosen(threads, 4, one_s=0.057, all_s=0.031)[2] >= 85


def test_a_single_thread_is_all_there_is() -> None:
    assert {1} == set(chosen(Threads(1), 4, one_s=0.057, all_s=0.057))


def test_one_step_that_was_disturbed_changes_nothing() -> None:
    threads = Threads(2)
    chosen(threads, 4, one_s=0.057, all_s=0.031, steps=8)

    disturbed = chosen(threads, 4, one_s=0.057, all_s=0.070, steps=1)
    after = chosen(threads, 4, one_s=0.057, all_s=0.031, steps=8)

    assert disturbed + after == {2: 9}


def test_a_choice_that_is_confirmed_is_tried_rarely() -> None:
    """Callers wait for a slow step: of many less than one in fifty may be one."""
    threads = Threads(2)
    chosen(threads, 4, one_s=0.057, all_s=0.031, steps=100)

    assert chosen(threads, 4, one_s=0.057, all_s=0.031, steps=1000)[1] < 20
