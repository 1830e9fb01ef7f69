"""One thread for one model: jobs in by urgency, results back to the loop that asked.

Nobody else calls the model, so it needs no lock. Jobs of a take that is no longer live are dropped
before they begin; a job that raises fails its own turn and nothing else. It does not know what the
jobs compute.
"""

import asyncio
import heapq
import itertools
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, TypeVar

from voiced import clock
from voiced.errors import EngineFailed, Stale
from voiced.flow.cancel import Ticket
from voiced.gpu.fault import sticky
from voiced.ops import log, metrics

R = TypeVar("R")


class Urgency(IntEnum):
    """Order in which waiting jobs run; within one, first come, first served."""

    FIRST = 0  # the caller waits for it now: a final transcript, the first clause of a turn
    NEXT = 1  # needed before what plays now runs out: later clauses
    SPARE = 2  # may be dropped: partial transcripts, speculation


@dataclass(order=True, slots=True)
class _Job:
    urgency: Urgency
    number: int
    work: Callable[[], Any] = field(compare=False)
    ticket: Ticket | None = field(compare=False)
    result: "Future[Any]" = field(compare=False)


class Worker:
    """A named thread with a bounded queue. `run` is called on a loop, `close` on any thread."""

    def __init__(self, stage: str, waiting: int) -> None:
        """`stage` names the thread, metrics and failures; `waiting` bounds the queue."""
        self.stage = stage
        self.progressed_at = clock.now()
        """When the thread last began, ended or waited for a job; the watchdog reads it."""
        self.busy = False
        self.fault: str | None = None
        """What has taken the card from this process, once something has."""
        self._waiting = waiting
        self._jobs: list[_Job] = []
        self._numbers = itertools.count()
        self._changed = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._work, name=f"voiced-{stage}", daemon=True)
        self._thread.start()

    @property
    def pressed(self) -> bool:
        """Something waits: a job that can be spared gives way. May be read on any thread."""
        return bool(self._jobs)

    async def run(
        self, work: Callable[[], R], *, urgency: Urgency, ticket: Ticket | None, deadline_s: float
    ) -> R:
        """Runs `work` on the thread and returns its result.

        Raises Stale when the ticket's take died before the job began (or `work` raised it),
        EngineFailed when the queue is full, the job raised, or the deadline passed. A job that has
        begun cannot be stopped from outside; nobody waits for it any more. One that is waiting
        never begins once its deadline has passed or its awaiter was cancelled.
        """
        job = _Job(urgency, next(self._numbers), work, ticket, Future())
        with self._changed:
            if self._closed:
                raise EngineFailed(self.stage, "closed")
            if len(self._jobs) >= self._waiting and not self._sweep():
                metrics.ENGINE_FAILED.labels(self.stage).inc()
                raise EngineFailed(self.stage, "queue full")
            heapq.heappush(self._jobs, job)
            self._changed.notify()
        try:
            async with asyncio.timeout(deadline_s):
                result: R = await asyncio.wrap_future(job.result)
                return result
        except TimeoutError:
            metrics.ENGINE_FAILED.labels(self.stage).inc()
            raise EngineFailed(self.stage, "deadline passed") from None

    def close(self) -> None:
        """Refuses new jobs, fails the waiting ones, and waits for the one that runs. Idempotent."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join()

    def _work(self) -> None:
        while self._step():
            pass
        with self._changed:
            left, self._jobs = self._jobs, []
        for job in left:
            self._refuse(job, EngineFailed(self.stage, "closed"))

    def _step(self) -> bool:
        """Runs one job and forgets it before the next is waited for: it may hold a call's sound."""
        job = self._next()
        if job is None:
            return False
        if job.ticket is not None and job.ticket.stale:
            self._refuse(job, Stale(self.stage))
        elif job.result.set_running_or_notify_cancel():
            self._do(job)
        return True

    def _sweep(self) -> bool:
        """Takes what nobody waits for out of the queue; returns whether there is room now."""
        for job in self._jobs:
            if job.ticket is not None and job.ticket.stale:
                self._refuse(job, Stale(self.stage))
        self._jobs = [job for job in self._jobs if not job.result.done()]
        heapq.heapify(self._jobs)
        return len(self._jobs) < self._waiting

    def _next(self) -> _Job | None:
        with self._changed:
            self.busy = False
            self.progressed_at = clock.now()
            while not self._jobs and not self._closed:
                self._changed.wait()
            self.busy = True
            self.progressed_at = clock.now()
            return None if self._closed else heapq.heappop(self._jobs)

    def _do(self, job: _Job) -> None:
        try:
            job.result.set_result(job.work())
        except (Stale, EngineFailed) as error:
            job.result.set_exception(error)
        except Exception as error:  # noqa: BLE001 - border: an engine may fail in any way, and only its turn may suffer
            metrics.ENGINE_FAILED.labels(self.stage).inc()
            log.failure("engine.failed", error, stage=self.stage)
            self.fault = self.fault or sticky(error)
            job.result.set_exception(EngineFailed(self.stage, type(error).__name__))

    @staticmethod
    def _refuse(job: _Job, error: Exception) -> None:
        if job.result.set_running_or_notify_cancel():
            job.result.set_exception(error)
