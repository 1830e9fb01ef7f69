"""A bounded queue of small frozen messages into one loop, from any thread.

Messages keep their order. A full lane refuses the newest message and counts it: a lane is sized so
that this happens only when its reader is stuck, and then the call is ended by its deadline.

It does not know what the messages mean.
"""

import asyncio
import threading
from collections import deque
from typing import Generic, TypeVar

from voiced.ops import metrics

T = TypeVar("T")


class LaneClosed(Exception):
    """The lane is closed, and all that was in it has been read."""


class Lane(Generic[T]):
    """`put` and `close` on any thread; read by one task on the loop that made it."""

    def __init__(self, size: int) -> None:
        self.dropped = 0
        """Messages that were refused because the lane was full."""
        self._size = size
        self._loop = asyncio.get_running_loop()
        self._messages: deque[T] = deque()
        self._arrived = asyncio.Event()
        self._closed = False
        self._putting = threading.Lock()  # held for an append, so that the size holds

    def put(self, message: T) -> None:
        """Appends a message and wakes the reader. After `close` it is dropped without a trace."""
        with self._putting:
            if self._closed:
                return
            if len(self._messages) >= self._size:
                self.dropped += 1
                metrics.LANE_DROPPED.inc()
                return
            self._messages.append(message)
        self._wake()

    def close(self) -> None:
        """Ends the reader once it has read what is left. Idempotent."""
        with self._putting:
            self._closed = True
        self._wake()

    async def get(self) -> T:
        """The next message; raises LaneClosed when none will come. Cancelling loses nothing."""
        while not self._messages:
            self._arrived.clear()
            # closed is read before messages: what was put before the close is still delivered
            ended = self._closed
            if self._messages:
                break
            if ended:
                raise LaneClosed
            await self._arrived.wait()
        return self._messages.popleft()

    def __aiter__(self) -> "Lane[T]":
        return self

    async def __anext__(self) -> T:
        try:
            return await self.get()
        except LaneClosed:
            raise StopAsyncIteration from None

    def _wake(self) -> None:
        try:
            self._loop.call_soon_threadsafe(self._arrived.set)
        except RuntimeError:
            self._closed = True  # the loop is gone, and its reader with it
