"""One thread, one model: what runs first, what never runs, and who suffers when it fails."""

import asyncio
import threading
import weakref
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from voiced.errors import EngineFailed, Stale
from voiced.flow.cancel import Live, Take, Ticket
from voiced.gpu.worker import Urgency, Worker
from voiced.ops import metrics

pytestmark = pytest.mark.unit

FIRST, NEXT, SPARE = Urgency.FIRST, Urgency.NEXT, Urgency.SPARE


class Bench:
    """A worker whose thread is held by a job of the test's own until it is let go."""

    def __init__(self, waiting: int = 8) -> None:
        self.worker = Worker("stt", waiting)
        self.ran: list[str] = []
        self.let_go = threading.Event()
        self.live = Live()
        self._held = threading.Event()

    @classmethod
    @asynccontextmanager
    async def held(cls, waiting: int = 8) -> AsyncIterator["Bench"]:
        """The thread is busy from the start, so that everything else has to wait."""
        bench = cls(waiting)
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(bench.run(bench._hold))
                await asyncio.get_running_loop().run_in_executor(None, bench._held.wait)
                try:
                    yield bench
                finally:
                    bench.let_go.set()
        finally:
            bench.close()

    def close(self) -> None:
        self.let_go.set()
        self.worker.close()

    def ticket(self, turn: int = 0) -> Ticket:
        return Ticket("call", Take(turn, 0), self.live)

    async def run(
        self,
        work: Callable[[], Any],
        urgency: Urgency = FIRST,
        ticket: Ticket | None = None,
        deadline_s: float = 5.0,
    ) -> Any:
        return await self.worker.run(work, urgency=urgency, ticket=ticket, deadline_s=deadline_s)

    async def named(self, name: str, urgency: Urgency, ticket: Ticket | None = None) -> None:
        """A job that leaves its name."""
        await self.run(lambda: self.ran.append(name), urgency, ticket)

    def _hold(self) -> None:
        self._held.set()
        self.let_go.wait()


def told(story: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(story)


async def queued() -> None:
    """Lets tasks that were just made come to their first wait."""
    for _ in range(3):
        await asyncio.sleep(0)


def failures() -> float:
    labels = {"stage": "stt"}
    return metrics.REGISTRY.get_sample_value("voiced_engine_failures_total", labels) or 0.0


def test_a_result_comes_back_to_the_loop_that_asked() -> None:
    async def story() -> tuple[Any, str, bool]:
        bench = Bench()
        names: list[str] = []

        def work() -> int:
            names.append(threading.current_thread().name)
            return 42

        try:
            result = await bench.run(work)
            return result, names[0], threading.current_thread() is threading.main_thread()
        finally:
            bench.close()

    assert (42, "voiced-stt", True) == told(story())


def test_the_urgent_goes_first_and_equals_take_turns() -> None:
    async def story() -> list[str]:
        async with Bench.held() as bench, asyncio.TaskGroup() as group:
            for name, urgency in (
                ("partial", SPARE),
                ("clause 2", NEXT),
                ("final", FIRST),
                ("clause 3", NEXT),
                ("first clause", FIRST),
            ):
                group.create_task(bench.named(name, urgency))
            await queued()
            bench.let_go.set()
        return bench.ran

    assert ["final", "first clause", "clause 2", "clause 3", "partial"] == told(story())


def test_work_of_a_dead_take_never_begins() -> None:
    async def story() -> list[str]:
        async with Bench.held() as bench:
            async with asyncio.TaskGroup() as group:
                dead = group.create_task(stale(bench.named("dead", FIRST, bench.ticket())))
                await queued()
                bench.live.take = Take(1, 0)
                group.create_task(bench.named("live", NEXT, bench.ticket(1)))
                await queued()
                bench.let_go.set()
            assert dead.result()
        return bench.ran

    assert ["live"] == told(story())


def test_work_may_find_itself_stale_on_the_way() -> None:
    async def story() -> bool:
        bench = Bench()
        try:
            return await stale(bench.run(raising(Stale("stt"))))
        finally:
            bench.close()

    assert told(story())


def test_a_job_that_raises_fails_itself_and_nothing_else() -> None:
    """Of the reason only the kind is told: messages may quote what was said."""

    async def story() -> tuple[str, int]:
        bench = Bench()
        try:
            with pytest.raises(EngineFailed) as failure:
                await bench.run(raising(ValueError("penicillin")))
            return str(failure.value), await bench.run(lambda: 42)
        finally:
            bench.close()

    before = failures()
    assert (("stt: ValueError", 42), 1) == (told(story()), failures() - before)


def test_a_failure_of_the_engine_is_passed_on_as_it_is() -> None:
    async def story() -> str:
        bench = Bench()
        try:
            with pytest.raises(EngineFailed) as failure:
                await bench.run(raising(EngineFailed("stt", "no slot")))
            return failure.value.reason
        finally:
            bench.close()

    assert "no slot" == told(story())


def test_nobody_waits_longer_than_the_deadline() -> None:
    """Whether the job has begun or not; one that has not never will."""

    async def story() -> list[str]:
        async with Bench.held() as bench:
            with pytest.raises(EngineFailed, match="stt: deadline passed"):
                await bench.run(lambda: bench.ran.append("late"), deadline_s=0.0)
            bench.let_go.set()
            await bench.named("after", SPARE)
        return bench.ran

    assert ["after"] == told(story())


def test_a_job_that_outlives_its_deadline_disturbs_nobody() -> None:
    async def story() -> list[str]:
        bench = Bench()
        try:
            with pytest.raises(EngineFailed, match="deadline passed"):
                await bench.run(bench._hold, deadline_s=0.01)
            bench.let_go.set()
            await bench.named("after", FIRST)
        finally:
            bench.close()
        return bench.ran

    assert ["after"] == told(story())


def test_a_timeout_inside_the_work_is_the_work_s_failure() -> None:
    async def story() -> str:
        bench = Bench()
        try:
            with pytest.raises(EngineFailed) as failure:
                await bench.run(raising(TimeoutError()))
            return failure.value.reason
        finally:
            bench.close()

    assert "TimeoutError" == told(story())


def test_a_job_whose_awaiter_is_gone_never_begins() -> None:
    async def story() -> list[str]:
        async with Bench.held() as bench, asyncio.TaskGroup() as group:
            gone = group.create_task(bench.named("gone", FIRST))
            await queued()
            gone.cancel()
            await queued()
            group.create_task(bench.named("after", SPARE))
            await queued()
            bench.let_go.set()
        return bench.ran

    assert ["after"] == told(story())


def test_a_full_queue_refuses_one_more_and_counts_it() -> None:
    async def story() -> list[str]:
        async with Bench.held(waiting=2) as bench, asyncio.TaskGroup() as group:
            group.create_task(bench.named("one", FIRST))
            group.create_task(bench.named("two", FIRST))
            await queued()
            with pytest.raises(EngineFailed, match="stt: queue full"):
                await bench.named("three", FIRST)
            bench.let_go.set()
        return bench.ran

    before = failures()
    assert (["one", "two"], 1) == (told(story()), failures() - before)


def test_work_that_nobody_wants_does_not_fill_the_queue() -> None:
    """Behind a slow job, abandoned partials must not keep a final transcript out."""

    async def story() -> tuple[bool, list[str]]:
        async with Bench.held(waiting=3) as bench, asyncio.TaskGroup() as group:
            gone = group.create_task(bench.named("gone", SPARE))
            dead = group.create_task(stale(bench.named("dead", SPARE, bench.ticket())))
            group.create_task(bench.named("kept", SPARE))
            await queued()
            gone.cancel()
            bench.live.take = Take(1, 0)
            await queued()
            group.create_task(bench.named("final", FIRST))
            await queued()
            bench.let_go.set()
        return dead.result(), bench.ran

    assert (True, ["final", "kept"]) == told(story())


def test_closing_fails_what_waits_and_waits_for_what_runs() -> None:
    """The job that runs is let go only once the close has begun to wait for it."""

    async def story() -> list[str]:
        async with Bench.held() as bench, asyncio.TaskGroup() as group:
            waiting = group.create_task(reason(bench.named("waiting", FIRST)))
            await queued()
            join = bench.worker._thread.join

            def let_go_and_join() -> None:
                bench.let_go.set()
                join()
                bench.ran.append("joined")

            with patch.object(bench.worker._thread, "join", let_go_and_join):
                bench.worker.close()
        return [*bench.ran, waiting.result()]

    assert ["joined", "closed"] == told(story())


def test_a_closed_worker_takes_no_job() -> None:
    async def story() -> str:
        bench = Bench()
        bench.close()
        return await reason(bench.named("late", FIRST))

    assert "closed" == told(story())


def test_a_worker_may_be_closed_twice() -> None:
    worker = Worker("stt", 1)
    worker.close()
    worker.close()


def test_the_watchdog_sees_whether_it_works() -> None:
    async def story() -> tuple[bool, bool]:
        async with Bench.held() as bench:
            busy = bench.worker.busy
            begun = bench.worker.progressed_at
            bench.let_go.set()
            await bench.run(lambda: None)
        return busy, bench.worker.progressed_at >= begun

    assert (True, True) == told(story())


def test_a_job_is_forgotten_when_it_is_done() -> None:
    """It may hold a call's sound; the thread waits for the next one without it."""

    async def story() -> None:
        bench = Bench()
        try:
            sound, forgotten = np.zeros(16, np.int16), asyncio.Event()
            loop = asyncio.get_running_loop()
            weakref.finalize(sound, loop.call_soon_threadsafe, forgotten.set)
            await bench.run(sound.sum)
            del sound
            async with asyncio.timeout(2.0):
                await forgotten.wait()
        finally:
            bench.close()

    told(story())


async def stale(work: Coroutine[Any, Any, Any]) -> bool:
    try:
        await work
    except Stale:
        return True
    return False


async def reason(work: Coroutine[Any, Any, Any]) -> str:
    try:
        await work
    except EngineFailed as failure:
        return failure.reason
    return "none"


def raising(error: Exception) -> Callable[[], Any]:
    def work() -> None:
        raise error

    return work


def test_a_job_can_see_that_others_wait() -> None:
    async def story() -> tuple[bool, bool]:
        async with Bench.held() as bench, asyncio.TaskGroup() as group:
            alone = bench.worker.pressed
            group.create_task(bench.named("final", FIRST))
            await queued()
            pressed = bench.worker.pressed
            bench.let_go.set()
        return alone, pressed

    assert (False, True) == told(story())
