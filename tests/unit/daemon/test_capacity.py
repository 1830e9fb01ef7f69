"""What a machine carries is tried with turns at once, and reckoned from there to calls."""

import asyncio

import pytest

from voiced.daemon import capacity
from voiced.daemon.capacity import calls_within, tried
from voiced.errors import EngineFailed
from voiced.testing import virtualtime

pytestmark = pytest.mark.unit

WINDOW_S = 0.62


def turns(alone_s: float, each_more_s: float, refuses_from: int = 1000) -> capacity.Turn:
    """An engine that takes longer the more turns there are."""
    open_ = 0

    async def turn() -> float:
        nonlocal open_
        open_ += 1
        try:
            await asyncio.sleep(0)
            if open_ >= refuses_from:
                raise EngineFailed("stt", "queue full")
            seconds = alone_s + (open_ - 1) * each_more_s
            await asyncio.sleep(seconds)
        finally:
            open_ -= 1
        return seconds

    return turn


def found(turn: capacity.Turn, most: int, monkeypatch: pytest.MonkeyPatch) -> tuple[int, float]:
    monkeypatch.setattr(capacity, "now", lambda: asyncio.get_running_loop().time())

    async def story() -> tuple[int, float]:
        return await tried(turn, WINDOW_S, most)

    return virtualtime.run(story())


@pytest.mark.parametrize(
    ("alone_s", "each_more_s", "at_once"), [(0.2, 0.01, 16), (0.2, 0.1, 4), (0.6, 0.5, 1)]
)
def test_as_many_turns_at_once_as_are_all_in_time(
    alone_s: float, each_more_s: float, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert at_once == found(turns(alone_s, each_more_s), 16, monkeypatch)[0]


def test_a_machine_that_is_late_with_a_single_turn_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (0, 2.0) == found(turns(2.0, 0.0), 16, monkeypatch)


def test_it_never_tries_more_turns_than_there_are_slots(monkeypatch: pytest.MonkeyPatch) -> None:
    assert 4 == found(turns(0.01, 0.0), 4, monkeypatch)[0]


def test_turns_that_an_engine_refuses_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    assert 2 == found(turns(0.01, 0.0, refuses_from=3), 16, monkeypatch)[0]


def test_a_trial_ends_though_every_turn_is_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capacity, "LONGEST_S", 1.0)

    assert 2 == found(turns(0.6, 0.0), 1000, monkeypatch)[0]


@pytest.mark.parametrize(("at_once", "calls"), [(0, 1), (1, 1), (2, 7), (4, 23), (8, 64)])
def test_calls_are_more_than_turns_since_few_of_them_end_at_once(at_once: int, calls: int) -> None:
    reckoned = calls_within(at_once, WINDOW_S, 64)

    assert calls == reckoned


def test_there_are_never_more_calls_than_slots() -> None:
    assert 4 == calls_within(16, WINDOW_S, 4)
