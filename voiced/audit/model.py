"""What the audit is to whoever has something to record: one call, from any thread.

It does not know how records are kept. Where a site has no audit, `NOWHERE` takes its place.
"""

from concurrent.futures import Future
from typing import Protocol

from voiced.audit.entries import Entry


class Audit(Protocol):
    """Takes what happened. Any thread."""

    def note(self, entry: Entry, /) -> "Future[int]":
        """Records it, off the caller's thread: returns at once, and never waits for a disk.

        The result is the record's number, once it lies on the disk. Who must not go on before that
        waits for it (`asyncio.wrap_future` on a loop); others let it be. It fails with
        UnavailableError where the record is lost. Raises TypeError for a value that is no plain
        name or number: a caller's words among them.
        """
        ...


class Nowhere:
    """No audit: what is noted is forgotten."""

    def note(self, entry: Entry, /) -> "Future[int]":
        """Number 0, at once."""
        done: Future[int] = Future()
        done.set_result(0)
        return done


NOWHERE = Nowhere()
