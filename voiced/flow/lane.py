"""A bounded queue of small frozen messages into one loop, from any thread.

Messages keep their order. A full lane refuses the newest message and counts it: a lane is sized so
that this happens only when its reader is stuck, and then the call is ended by its deadline.

It does not know what the messages mean.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from typing import Generic, TypeVar

T = TypeVar("T")


class LaneClosed(Exception):
    """The lane is closed, and all that was in it has been read."""


class Lane(Generic[T]):
    """`put` and `close` on any thread; read by one task on the loop that made it."""

    def __init__(self, size: int) -> None:
        self.dropped = 0
        self._size = size
        self._loop = asyncio.get_running_loop()
        self._messages: deque[T] = deque()
        self._arrived = asyncio.Event()
        self._closed = False

    def put(self, message: T) -> None:
        """Appends a message and wakes the reader. After `close` it is dropped without a trace."""
        if self._closed:
            return
        if len(self._messages) >= self._size:
            self.dropped += 1
            return
        self._messages.append(message)
        self._wake()

    def close(self) -> None:
        """Ends the reader once it has read what is left. Idempotent."""
        self._closed = True
        self._wake()

    async def get(self) -> T:
        """The next message; raises LaneClosed when none will come. Cancelling loses nothing."""
        while not self._messages:
            if self._closed:
                raise LaneClosed
            self._arrived.clear()
            if not self._messages and not self._closed:
                await self._arrived.wait()
        return self._messages.popleft()

    async def __aiter__(self) -> AsyncIterator[T]:
        try:
            while True:
                yield await self.get()
        except LaneClosed:
            return

    def _wake(self) -> None:
        try:
            self._loop.call_soon_threadsafe(self._arrived.set)
        except RuntimeError:
            self._closed = True  # the loop is gone, and its reader with it
