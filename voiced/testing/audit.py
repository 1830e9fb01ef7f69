"""An audit that keeps what is noted in memory. It refuses what the real one refuses."""

from concurrent.futures import Future

from voiced.audit.entries import Entry, values


class FakeAudit:
    """A `voiced.audit.model.Audit`."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []

    def note(self, entry: Entry, /) -> "Future[int]":
        values(entry)
        self.entries.append(entry)
        done: Future[int] = Future()
        done.set_result(len(self.entries))
        return done
