"""The task that feeds the watchdog, on virtual time: what stops the feeding, and what does not."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass

import pytest

from voiced.config.settings import Settings
from voiced.daemon.watch import Watch, limit_s
from voiced.ops import notify
from voiced.ops.watchdog import Rounds
from voiced.testing import virtualtime

pytestmark = pytest.mark.unit


@dataclass
class Thread:
    """As an engine shows its thread."""

    progressed_at: float = 0.0
    busy: bool = False


class Fed:
    """What systemd was told."""

    def __init__(self) -> None:
        self.meals = 0
        self.status: list[str] = []

    def alive(self) -> None:
        self.meals += 1


@pytest.fixture
def fed(monkeypatch: pytest.MonkeyPatch) -> Fed:
    fed = Fed()
    monkeypatch.setattr(notify, "alive", fed.alive)
    monkeypatch.setattr(notify, "status", fed.status.append)
    return fed


def watched(watch: Watch, seconds: float) -> None:
    """The task, for some virtual seconds."""

    async def story() -> None:
        try:
            async with asyncio.timeout(seconds):
                await watch.run()
        except TimeoutError:
            pass

    virtualtime.run(story())


def test_while_all_is_quiet_the_watchdog_is_fed(fed: Fed) -> None:
    watch = Watch(Settings())
    watch.add("stt", "stt", Thread())
    watched(watch, 60)

    assert 24 == fed.meals


@pytest.mark.parametrize(("stage", "seconds"), [("rtc", 5), ("vad", 5), ("stt", 60), ("tts", 40)])
def test_a_stage_that_hangs_stops_the_feeding(fed: Fed, stage: str, seconds: int) -> None:
    """Up to its limit it is fed, and not once after it; STATUS says who hangs."""
    watch = Watch(Settings())
    watch.add(stage, stage, Thread(busy=True))
    watched(watch, 300)

    assert seconds // 2.5 + 1 == fed.meals
    assert [f"stuck: {stage}"] == fed.status
    assert seconds == limit_s(stage, Settings())


def looked_at(watch: Watch, waits: Iterable[float]) -> None:
    """The task, beside a media loop that comes round after each of these seconds."""
    rounds = Rounds(0.0)
    watch.add("rtc", "rtc", rounds)

    async def story() -> None:
        watching = asyncio.create_task(watch.run())
        for wait_s in waits:
            await asyncio.sleep(wait_s)
            rounds.came(asyncio.get_running_loop().time())
        watching.cancel()

    virtualtime.run(story())


@pytest.mark.parametrize("late_s", [1.1, 2.0, 4.9])
def test_a_media_loop_that_is_starved_stops_the_feeding(fed: Fed, late_s: float) -> None:
    """It gets its turns, and not one of them in time: whoever calls hears nothing."""
    looked_at(Watch(Settings()), [late_s] * round(60 / late_s))

    assert limit_s("rtc", Settings()) // 2.5 + 1 == fed.meals
    assert ["stuck: rtc"] == fed.status


@pytest.mark.parametrize(
    "waits",
    [[0.8] * 75, ([0.25] * 20 + [4.9]) * 6, ([2.0] * 2 + [0.25]) * 14],
    ids=["a flood of calls", "a collector's pauses", "late, and in time again"],
)
def test_a_media_loop_that_is_late_now_and_then_is_fed(fed: Fed, waits: list[float]) -> None:
    looked_at(Watch(Settings()), waits)

    assert sum(waits) // 2.5 + 1 == fed.meals
    assert [] == fed.status


def test_a_media_loop_that_was_starved_and_is_not_any_more_is_fed_again(fed: Fed) -> None:
    looked_at(Watch(Settings()), [2.0] * 10 + [0.25] * 40)

    assert ["stuck: rtc", "ready"] == fed.status


def test_a_drain_is_not_fed_but_given_time(fed: Fed) -> None:
    watch = Watch(Settings())
    more: list[int] = []
    watch.feed = lambda: more.append(1)
    watched(watch, 10)

    assert (0, 4) == (fed.meals, len(more))


def test_it_looks_four_times_in_the_time_that_the_unit_allows(
    fed: Fed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", "2000000")
    monkeypatch.delenv("WATCHDOG_PID", raising=False)
    watched(Watch(Settings()), 10)

    assert 20 == fed.meals
