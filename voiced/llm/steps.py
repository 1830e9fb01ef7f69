"""The thread that owns the engine: takes requests in, steps until there is nothing to do, sleeps.

Nobody else calls the engine, not even to warm it, so it needs no lock. And OpenMP keeps a team of
threads for every thread that has ever computed: once the teams have more threads than there are
cores, none of them waits awake any more, and two threads are no faster than one. It does not know
what the requests do.
"""

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from voiced import clock
from voiced.errors import EngineFailed
from voiced.gpu.fault import sticky
from voiced.llm.scheduler import Scheduler
from voiced.ops import log

R = TypeVar("R")

Request = Callable[[Scheduler], None]
"""Runs on the thread, between two steps; tells its own caller when it fails."""


class Steps:
    """`put` and `close` are called on any thread."""

    def __init__(self, begin: Callable[[], Scheduler]) -> None:
        """`begin` is called on the thread, and waited for; what it raises is raised here."""
        self.progressed_at = clock.now()
        """When the thread last began, ended or waited for a step; the watchdog reads it."""
        self.busy = False
        self.fault: str | None = None
        """What has taken the card from this process, once something has."""
        self._scheduler: Scheduler
        # a call has at most a request of each kind under way, so the slots bound the queue
        self._requests: deque[Request] = deque()
        self._changed = threading.Condition()
        self._closed = False
        begun: Future[None] = Future()
        self._thread = threading.Thread(
            target=self._live, args=(begin, begun), name="voiced-llm", daemon=True
        )
        self._thread.start()
        if error := begun.exception():
            self._thread.join()
            raise error

    def put(self, request: Request) -> None:
        """Requests run in the order in which they came. Raises EngineFailed after `close`."""
        with self._changed:
            if self._closed:
                raise EngineFailed("llm", "closed")
            self._requests.append(request)
            self._changed.notify()

    async def ask(self, question: Callable[[Scheduler], R]) -> R:
        """The result of `question`, run on the thread; what it raises is raised here."""
        answer: Future[R] = Future()

        def request(scheduler: Scheduler) -> None:
            try:
                answer.set_result(question(scheduler))
            except Exception as error:  # noqa: BLE001 - border: it is raised where it was asked
                answer.set_exception(error)

        self.put(request)
        return await asyncio.wrap_future(answer)

    def close(self) -> None:
        """Fails what is under way and waits for the step that runs. Idempotent."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join()

    def _live(self, begin: Callable[[], Scheduler], begun: Future[None]) -> None:
        try:
            self._scheduler = begin()
        except BaseException as error:  # noqa: BLE001 - border: it is raised where it was asked
            begun.set_exception(error)
            return
        begun.set_result(None)
        self._work()

    def _work(self) -> None:
        while self._wait():
            try:
                while self._requests:
                    self._requests.popleft()(self._scheduler)
                self._scheduler.step()
            except Exception as error:  # noqa: BLE001 - border: an engine may fail in any way, and only the replies under way may suffer
                log.failure("engine.failed", error, stage="llm")
                self.fault = self.fault or sticky(error)
                self._scheduler.fail(EngineFailed("llm", type(error).__name__))
        while self._requests:
            self._requests.popleft()(self._scheduler)
        self._scheduler.fail(EngineFailed("llm", "closed"))

    def _wait(self) -> bool:
        with self._changed:
            self.busy = False
            self.progressed_at = clock.now()
            while not self._requests and self._scheduler.idle and not self._closed:
                self._changed.wait()
            self.busy = True
            self.progressed_at = clock.now()
            return not self._closed
