"""The one clock: the only caller of `time.*`.

Instants are float seconds of the monotonic clock, the same that asyncio's `loop.time()` shows, so
that an instant taken in an engine thread can be compared with one taken on a loop. Code on a loop
uses `loop.time()`, which the tests replace by virtual time.
"""

import time
from datetime import UTC, datetime


def now() -> float:
    """Seconds of the monotonic clock. Any thread."""
    return time.monotonic()


def cpu() -> float:
    """Seconds of CPU that the calling thread has used."""
    return time.thread_time()


def wall() -> datetime:
    """The date and time in UTC; for people and files, never for durations."""
    return datetime.now(UTC)
