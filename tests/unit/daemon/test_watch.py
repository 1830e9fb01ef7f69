"""The task that feeds the watchdog, on virtual time: what stops the feeding, and what does not."""

import asyncio
from dataclasses import dataclass

import pytest

from voiced.config.settings import Settings
from voiced.daemon.watch import Watch, limit_s
from voiced.ops import notify
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
