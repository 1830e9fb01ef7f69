"""The audit's thread: nobody waits for a disk, and nothing is lost in silence."""

import errno
import threading
from collections.abc import Iterator

import pytest

from tests.unit.audit.conftest import Calendar, Opened
from voiced.audit.chain import Head
from voiced.audit.entries import CallEnded, DaemonStopped
from voiced.audit.folder import Folder, Stamped
from voiced.audit.reading import Reading, verified
from voiced.audit.trail import Trail
from voiced.errors import UnavailableError
from voiced.ops import log, metrics
from voiced.words import Words

pytestmark = pytest.mark.unit

WAIT_S = 10.0


class Disk:
    """Stands before a folder: takes what comes, or is full, or makes whoever appends wait."""

    def __init__(self, folder: Folder) -> None:
        self.directory = folder.directory
        self.open = folder.open
        self.full = False
        self.tried = threading.Semaphore(0)
        self.free = threading.Event()
        self.free.set()
        self._folder = folder

    def append(self, batch: list[Stamped]) -> Head:
        self.free.wait(WAIT_S)
        try:
            if self.full:
                raise OSError(errno.ENOSPC, "No space left on device")
            return self._folder.append(batch)
        finally:
            self.tried.release()


@pytest.fixture
def disk(opened: Opened) -> Disk:
    return Disk(opened())


@pytest.fixture
def logged(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, object]]]:
    """Events of the log, with their values."""
    lines: list[tuple[str, dict[str, object]]] = []
    for level in ("info", "warning"):
        monkeypatch.setattr(log, level, lambda event, **values: lines.append((event, values)))
    monkeypatch.setattr(
        log, "failure", lambda event, error, **values: lines.append((event, values))
    )
    return lines


@pytest.fixture
def trail(disk: Disk, calendar: Calendar) -> Iterator[Trail]:
    trail = Trail(disk, waiting=3, again_s=0.0, wall=calendar)  # type: ignore[arg-type]  # stands for a folder
    yield trail
    trail.close()


def call(number: int) -> CallEnded:
    return CallEnded(f"c{number}", "hangup", 1.0)


def test_a_record_has_its_number_when_it_is_on_the_disk(trail: Trail, opened: Opened) -> None:
    numbers = [trail.note(call(one)).result(WAIT_S) for one in (1, 2)]

    assert [1, 2] == numbers
    assert 2 == verified(opened(), {}).last


def test_what_waits_at_the_end_is_written(trail: Trail, disk: Disk, opened: Opened) -> None:
    disk.free.clear()
    for one in (1, 2):
        trail.note(call(one))
    trail.note(DaemonStopped())
    disk.free.set()
    trail.close()

    assert 3 == verified(opened(), {}).last


def test_a_callers_words_are_refused_where_they_are_noted(trail: Trail) -> None:
    with pytest.raises(TypeError):
        trail.note(CallEnded("c1", Words("penicillin"), 1.0))  # type: ignore[arg-type]


def test_a_full_disk_alarms_and_is_tried_again(
    trail: Trail, disk: Disk, logged: list[tuple[str, dict[str, object]]], opened: Opened
) -> None:
    """Whoever notes something goes on at once; it is on the disk when there is room again."""
    disk.full = True
    kept = trail.note(call(1))
    assert disk.tried.acquire(timeout=WAIT_S)
    assert disk.tried.acquire(timeout=WAIT_S)
    assert ("audit.stuck", 1.0) == (logged[0][0], metrics.AUDIT_STUCK.collect()[0].samples[0].value)
    disk.full = False

    assert 1 == kept.result(WAIT_S)
    assert 0.0 == metrics.AUDIT_STUCK.collect()[0].samples[0].value
    assert 1 == [event for event, _ in logged].count("audit.stuck")
    assert None is verified(opened(), {}).fault


def test_what_no_longer_fits_is_lost_counted_and_told(
    trail: Trail, disk: Disk, opened: Opened
) -> None:
    disk.free.clear()
    disk.full = True
    kept = [trail.note(call(one)) for one in range(1, 6)]
    for lost in kept[3:]:
        with pytest.raises(UnavailableError, match="could not be written"):
            lost.result(WAIT_S)
    disk.full = False
    disk.free.set()
    for one in kept[:3]:
        one.result(WAIT_S)
    trail.close()

    records = [line.record for line in Reading(opened(), {})]
    gaps = [dict(one.values) for one in records if one.event == "audit.gap"]
    assert [2] == [gap["lost"] for gap in gaps]
    assert ["c1", "c2", "c3"] == [one.values["call"] for one in records if one.event != "audit.gap"]


def test_a_disk_that_stays_full_does_not_hold_the_stop_up(trail: Trail, disk: Disk) -> None:
    disk.full = True
    kept = trail.note(call(1))
    trail.close()

    with pytest.raises(UnavailableError):
        kept.result(WAIT_S)


def test_nobody_who_stopped_waiting_stops_the_thread(trail: Trail, disk: Disk) -> None:
    disk.free.clear()
    assert trail.note(call(1)).cancel()
    disk.free.set()

    assert 2 == trail.note(call(2)).result(WAIT_S)


def test_the_journal_hears_where_the_chain_ends(
    trail: Trail, logged: list[tuple[str, dict[str, object]]], opened: Opened
) -> None:
    """At the first record and at the stop; between them now and then."""
    trail.note(call(1)).result(WAIT_S)
    trail.note(call(2)).result(WAIT_S)
    trail.close()

    heads = [values for event, values in logged if event == "audit.head"]
    assert 2 == heads[-1]["number"]
    witnessed = {int(str(one["number"])): str(one["mac"]) for one in heads}
    assert None is verified(opened(), witnessed).fault
