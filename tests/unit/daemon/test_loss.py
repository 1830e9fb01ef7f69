"""A lost card is noticed once, whoever finds out: an engine, or the driver."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from voiced.daemon import loss
from voiced.daemon.loss import Loss
from voiced.errors import EngineFailed
from voiced.gpu.card import Vigil
from voiced.gpu.worker import Urgency, Worker
from voiced.testing import virtualtime
from voiced.testing.nvml import FakeNvml

pytestmark = pytest.mark.unit


@dataclass
class Engine:
    fault: str | None = None


def watched(lost: Loss, after: Callable[[], None] = lambda: None) -> tuple[list[str], float]:
    """What is told within a minute, and when; `after` happens at 10 s."""
    told: list[str] = []

    async def story() -> float:
        asyncio.get_running_loop().call_later(10.0, after)
        try:
            async with asyncio.timeout(60.0):
                await lost.run(told.append)
        except TimeoutError:
            pass
        return asyncio.get_running_loop().time()

    return told, virtualtime.run(story())


def test_while_all_engines_are_well_nothing_is_lost() -> None:
    lost = Loss()
    lost.add("stt", Engine())

    assert ([], 60.0) == watched(lost)
    assert lost.why is None


def test_an_engine_that_finds_the_card_gone_says_it_for_all_and_once() -> None:
    lost, engine = Loss(), Engine()
    lost.add("llm", Engine())
    lost.add("stt", engine)
    told, at = watched(lost, lambda: setattr(engine, "fault", "an illegal access"))

    assert ["stt: an illegal access"] == told
    assert at <= 10.0 + loss.LOOK_S


def test_what_the_driver_tells_is_heard() -> None:
    nvml, lost = FakeNvml(), Loss()
    worker = lost.ask(Vigil(nvml))
    nvml.xids.append(79)
    found: list[str] = []
    try:
        asyncio.run(lost.run(found.append))
    finally:
        worker.close()

    assert ["Xid 79"] == found


def test_a_sticky_error_in_a_job_is_the_thread_s_fault_and_memory_that_ran_out_is_not() -> None:
    """One turn falls back, and the next works."""
    worker = Worker("stt", 4)

    def job(message: str) -> Callable[[], None]:
        def work() -> None:
            raise RuntimeError(message)

        return work

    async def run(work: Callable[[], object]) -> object:
        return await worker.run(work, urgency=Urgency.FIRST, ticket=None, deadline_s=5.0)

    async def story() -> None:
        with pytest.raises(EngineFailed):
            await run(job("CUDA failed with error out of memory"))
        assert worker.fault is None
        assert 1 == await run(lambda: 1)
        with pytest.raises(EngineFailed):
            await run(job("CUDA failure 700: an illegal memory access was encountered"))
        assert "an illegal access" == worker.fault

    try:
        asyncio.run(story())
    finally:
        worker.close()
