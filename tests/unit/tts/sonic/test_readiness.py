"""Whether Sonic can speak, from the page of its workers."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voiced.config.sonic import Sonic
from voiced.errors import UnavailableError
from voiced.ops import metrics
from voiced.testing import virtualtime
from voiced.tts.sonic.readiness import Presence, capacity, until_ready, watch

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("page", "found"),
    [
        ("inferno_worker_capacity 4\n", 4.0),
        ('# HELP x\ninferno_worker_capacity{model="a",gpu="0"} 8.0\n', 8.0),
        ("inferno_worker_capacity 0\n", 0.0),
        ("inferno_worker_capacity 2\ninferno_worker_capacity 1e1\n", 12.0),
        ("inferno_worker_capacity_total 4\n", 0.0),
        ("# inferno_worker_capacity 4\n", 0.0),
        ("inferno_worker_capacity e.e\n", 0.0),
        ("", 0.0),
    ],
    ids=range(8),
)
def test_a_worker_has_its_model_when_it_tells_capacity(page: str, found: float) -> None:
    assert found == capacity(page)


@given(st.text())
def test_any_page_is_read(page: str) -> None:
    assert capacity(page) >= 0.0


def test_it_waits_until_it_is_ready() -> None:
    answers: list[str | None] = ["starting", "starting", None]

    async def ask() -> str | None:
        return answers.pop(0)

    async def main() -> float:
        await until_ready(Sonic(ready_deadline_ms=10_000), ask)
        return asyncio.get_running_loop().time()

    assert 1.0 == virtualtime.run(main())


def test_after_the_deadline_it_says_why_not() -> None:
    async def ask() -> str | None:
        return "h:5000: nobody answers there"

    async def main() -> None:
        with pytest.raises(UnavailableError, match="h:5000: nobody answers there"):
            await until_ready(Sonic(ready_deadline_ms=2_000), ask)
        assert asyncio.get_running_loop().time() <= 2.0

    virtualtime.run(main())


def test_while_the_daemon_runs_it_is_told_who_serves() -> None:
    """Asked every 15 s: well, gone at the second time, back at the third."""
    answers: list[str | None] = [None, "h:5000: nobody answers there", None, None]
    seen: list[float | None] = []
    presence = Presence()
    told: list[bool] = []
    presence.told = told.append

    async def ask() -> str | None:
        seen.append(metrics.REGISTRY.get_sample_value("voiced_sonic_ready"))
        return answers.pop(0)

    async def main() -> None:
        looking = asyncio.create_task(watch(ask, presence))
        await asyncio.sleep(61.0)
        looking.cancel()

    virtualtime.run(main())
    assert [1.0, 1.0, 0.0, 1.0] == seen
    assert [False, True] == told
