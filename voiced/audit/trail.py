"""The audit's own thread: takes records from any other, and has them on the disk in batches.

Nobody waits for it who does not want to. When the disk is full or gone, calls go on: an alarm is
raised (log, metric), what waits is tried again every few seconds, and what no longer fits is lost,
counted, and told in a record as soon as there is one again. Now and then the number and the seal
of the last record go to the journal: a second witness, which another part of the machine keeps.

It does not know what is recorded, nor files.
"""

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime

from voiced import clock
from voiced.audit.chain import START
from voiced.audit.entries import AuditGap, Entry, values
from voiced.audit.folder import Folder, stamp
from voiced.errors import UnavailableError
from voiced.ops import log, metrics

WAITING = 4096
"""Records that may wait for the disk: a busy hour of calls, and a megabyte."""

_BATCH = 256
_AGAIN_S = 5.0
_WITNESS_S = 600.0


@dataclass(slots=True)
class _Noted:
    at: str
    entry: Entry
    kept: "Future[int]" = field(default_factory=Future)


class Trail:
    """A `model.Audit`. `note` on any thread; `close` once, by whoever opened it."""

    def __init__(
        self,
        folder: Folder,
        *,
        waiting: int = WAITING,
        again_s: float = _AGAIN_S,
        wall: Callable[[], datetime] = clock.wall,
    ) -> None:
        """Opens the folder. Raises ConfigError (another key's), UnavailableError."""
        try:
            self._head = folder.open()
        except OSError as error:
            raise UnavailableError(
                f"audit.dir = '{folder.directory}': cannot be used ({error.strerror}): make it, "
                "and let the daemon's user write there"
            ) from None
        self._folder = folder
        self._most = waiting
        self._again_s = again_s
        self._wall = wall
        self._waiting: deque[_Noted] = deque()
        self._lost: list[str] = []
        """Of what was lost since the last record: how many, by the first and the last instant."""
        self._lost_count = 0
        self._stuck = False
        self._again_at = 0.0
        self._closing = False
        self._witnessed = START
        self._witness_at = clock.now()
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._work, name="voiced-audit", daemon=True)
        self._thread.start()

    def note(self, entry: Entry, /) -> "Future[int]":
        """As `model.Audit` has it."""
        values(entry)
        noted = _Noted(stamp(self._wall()), entry)
        with self._changed:
            if self._closing or len(self._waiting) >= self._most:
                self._lose(noted)
            else:
                self._waiting.append(noted)
                self._changed.notify()
        return noted.kept

    def close(self) -> None:
        """Writes what waits, if it can be written, and ends the thread."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join()

    def _work(self) -> None:
        while self._next():
            self._write()
            if clock.now() >= self._witness_at:
                self._witness()
        self._write()
        with self._changed:
            while self._waiting:
                self._lose(self._waiting.popleft())
        self._witness()

    def _next(self) -> bool:
        """Waits until there is something to do; False: it is to end."""
        with self._changed:
            while not self._closing and (due_s := self._due_s()) > 0:
                self._changed.wait(due_s if due_s < threading.TIMEOUT_MAX else None)
            return not self._closing

    def _due_s(self) -> float:
        """How long there is nothing to do, unless a record comes. Under the lock."""
        if self._stuck:
            return self._again_at - clock.now()
        if self._waiting or self._lost_count:
            return 0.0
        if self._head != self._witnessed:
            return self._witness_at - clock.now()
        return float("inf")

    def _write(self) -> None:
        """All that waits, in batches; stops at one that the disk does not take."""
        while True:
            with self._changed:
                gap, lost = self._gap()
                batch = [self._waiting[n] for n in range(min(_BATCH, len(self._waiting)))]
            if not batch and not gap:
                return
            if not self._written([*gap, *((one.at, one.entry) for one in batch)]):
                return
            with self._changed:
                self._lost_count -= lost
                self._lost = self._lost if self._lost_count else []
                for _ in batch:
                    self._waiting.popleft()
            for place, one in enumerate(reversed(batch)):
                _settle(one.kept, self._head.number - place)

    def _written(self, batch: list[tuple[str, Entry]]) -> bool:
        try:
            head = self._folder.append(batch)
        except Exception as error:  # noqa: BLE001 - border: a disk may fail in any way, and no call may end of it
            if not self._stuck:
                log.failure("audit.stuck", error)
            self._set_stuck(True)
            self._again_at = clock.now() + self._again_s
            return False
        if self._stuck:
            log.info("audit.unstuck", number=head.number)
        self._set_stuck(False)
        metrics.AUDIT_RECORDS.inc(len(batch))
        self._head = head
        return True

    def _witness(self) -> None:
        """Tells the journal where the chain ends."""
        if self._head != self._witnessed:
            log.info("audit.head", number=self._head.number, mac=self._head.mac)
        self._witnessed, self._witness_at = self._head, clock.now() + _WITNESS_S

    def _set_stuck(self, stuck: bool) -> None:
        self._stuck = stuck
        metrics.AUDIT_STUCK.set(stuck)

    def _gap(self) -> tuple[list[tuple[str, Entry]], int]:
        """The record of what was lost, if anything was. Under the lock."""
        if not self._lost_count:
            return [], 0
        gap = AuditGap(self._lost_count, self._lost[0], self._lost[-1])
        return [(stamp(self._wall()), gap)], self._lost_count

    def _lose(self, noted: _Noted) -> None:
        """Under the lock."""
        metrics.AUDIT_LOST.inc()
        self._lost_count += 1
        self._lost = [*self._lost[:1], noted.at]
        with suppress(InvalidStateError):  # nobody waits for it any more
            noted.kept.set_exception(UnavailableError("audit: the record could not be written"))


def _settle(kept: "Future[int]", number: int) -> None:
    if kept.set_running_or_notify_cancel():
        kept.set_result(number)
