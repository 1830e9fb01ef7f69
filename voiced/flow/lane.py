"""A bounded queue of small frozen messages into one loop, from any thread.

Messages keep their order. A full lane refuses the newest message and counts it: a lane is sized so
that this happens only when its reader is stuck, and then the call is ended by its deadline. Of
messages that must not be lost it takes several times as many; where even those do not fit, it ends,
and its reader with it, rather than lose one.

It does not know what the messages mean.
"""

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

from voiced.ops import metrics

T = TypeVar("T")

RESERVE = 4
"""Times the size: so many messages are taken where they must not be lost."""


class LaneClosed(Exception):
    """The lane is closed, and all that was in it has been read."""


class Lane(Generic[T]):
    """`put` and `close` on any thread; read by one task on the loop that made it."""

    def __init__(self, size: int, needed: Callable[[T], bool] = lambda _message: False) -> None:
        """`needed`: a message that must not be lost; asked on the thread of `put`."""
        self.dropped = 0
        """Messages that were refused because the lane was full."""
        self._size = size
        self._needed = needed
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
            if len(self._messages) < self._size or self._takes(message):
                self._messages.append(message)
        self._wake()

    def _takes(self, message: T) -> bool:
        """Whether a full lane takes this one all the same."""
        needed = self._needed(message)
        if needed and len(self._messages) < RESERVE * self._size:
            return True
        self.dropped += 1
        metrics.LANE_DROPPED.inc()
        self._closed = needed
        return False

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
