"""The chain survives what happens to a machine, and shows what somebody did to it."""

import errno
import io
import os
import shutil
from collections.abc import Sequence

import pytest

from tests.unit.audit.conftest import KEYS, Calendar, Opened
from voiced.audit import folder as place
from voiced.audit.chain import Key
from voiced.audit.entries import CallEnded, Entry
from voiced.audit.folder import Folder
from voiced.audit.keys import Keys
from voiced.audit.reading import Reading, Verdict, verified
from voiced.audit.verdict import Checker
from voiced.errors import ConfigError

pytestmark = pytest.mark.unit


def ended(call: int) -> Entry:
    return CallEnded(f"c{call}", "hangup", 1.5)


def write(folder: Folder, calls: Sequence[int]) -> None:
    """Each as an append of its own."""
    for call in calls:
        folder.append([("2026-03-01T12:00:00.000+00:00", ended(call))])


def lines(folder: Folder) -> list[bytes]:
    return folder.segments()[-1].path.read_bytes().splitlines(keepends=True)


def rewrite(folder: Folder, changed: Sequence[bytes]) -> None:
    folder.segments()[-1].path.write_bytes(b"".join(changed))


def fault(folder: Folder, witnessed: dict[int, str] | None = None) -> tuple[int, str] | None:
    """Number and story of the first thing that is wrong."""
    found = verified(folder, witnessed or {}).fault
    return None if found is None else (found.number, found.what)


def whole(folder: Folder) -> Verdict:
    verdict = verified(folder, {})
    assert None is verdict.fault
    return verdict


def events(folder: Folder) -> list[str]:
    return [one.record.event for one in Reading(folder, {})]


def test_a_chain_is_whole_over_restarts(opened: Opened) -> None:
    write(opened(), [1, 2])
    write(opened(), [3])

    verdict = whole(opened())
    assert (1, 3) == (verdict.first, verdict.last)


def test_an_empty_audit_is_whole(opened: Opened) -> None:
    assert (0, 0) == (whole(opened()).first, whole(opened()).last)


def test_an_edited_record_is_found(opened: Opened) -> None:
    folder = opened()
    write(folder, range(1, 6))
    old = lines(folder)
    rewrite(folder, [*old[:2], old[2].replace(b"hangup", b"failed"), *old[3:]])

    assert (3, "edited, or put in: no key has sealed what stands at its place") == fault(folder)


def test_every_single_byte_that_is_changed_is_found(opened: Opened) -> None:
    folder = opened()
    write(folder, range(1, 4))
    data = b"".join(lines(folder))
    unseen = []
    for at in range(len(data)):
        checker = Checker(folder.head(), {})
        for line in io.BytesIO(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]):
            checker.take(line, KEYS.own)
        checker.end()
        if checker.fault is None:
            unseen.append(at)

    assert [] == unseen


def test_a_deleted_record_is_found(opened: Opened) -> None:
    folder = opened()
    write(folder, range(1, 6))
    old = lines(folder)
    rewrite(folder, [*old[:2], *old[3:]])

    assert (3, "missing") == fault(folder)


def test_records_that_changed_places_are_found(opened: Opened) -> None:
    folder = opened()
    write(folder, range(1, 6))
    old = lines(folder)
    rewrite(folder, [*old[:2], old[3], old[2], old[4]])

    assert (3, "missing") == fault(folder)


@pytest.mark.parametrize("again", [0, 2, 4])
def test_a_record_that_is_written_again_is_found(opened: Opened, again: int) -> None:
    folder = opened()
    write(folder, range(1, 6))
    old = lines(folder)
    rewrite(folder, [*old, old[again]])

    assert (again + 1, "comes after 5: moved, or repeated") == fault(folder)


def test_records_of_another_chain_with_the_same_key_are_found(opened: Opened) -> None:
    folder = opened()
    write(folder, range(1, 4))
    others = lines(folder)
    shutil.rmtree(folder.directory)
    folder = opened()
    write(folder, range(5, 8))
    mine = lines(folder)
    rewrite(folder, [*mine[:1], *others[1:]])

    assert (2, "follows another 1 than the one before it") == fault(folder)


def test_records_that_are_cut_off_at_the_end_are_found(opened: Opened) -> None:
    folder = opened()
    write(folder, range(1, 6))
    rewrite(folder, lines(folder)[:3])

    assert (4, "missing, up to the last one, 5") == fault(folder)


def test_a_cut_is_found_also_when_the_daemon_has_gone_on(opened: Opened) -> None:
    """The numbers that the sealed head knew are never given out again."""
    folder = opened()
    write(folder, range(1, 6))
    rewrite(folder, lines(folder)[:3])
    write(opened(), [6, 7])

    assert (4, "missing, up to 5") == fault(folder)


def test_a_cut_with_its_old_head_is_found_by_the_journal_alone(opened: Opened) -> None:
    """An old copy of the whole folder is whole: only somebody else can know that there was more."""
    folder = opened()
    write(folder, range(1, 4))
    shutil.copytree(folder.directory, folder.directory.with_name("copy"))
    write(folder, range(4, 6))
    seen = {5: folder.open().mac}
    shutil.rmtree(folder.directory)
    folder.directory.with_name("copy").rename(folder.directory)

    assert None is fault(folder)
    assert (4, "missing, up to 5, which the journal has seen") == fault(folder, seen)
    write(opened(), [6, 7])
    assert (5, "is another than the one that was witnessed") == fault(folder, seen)


def test_a_head_that_is_taken_away_is_found(opened: Opened) -> None:
    folder = opened()
    write(folder, [1, 2])
    (folder.directory / "head").unlink()

    assert (2, "the sealed head is not there, or no key has sealed it") == fault(folder)
    write(opened(), [3])
    assert (3, "tells that the sealed head had gone when it was written") == fault(folder)


def test_a_forged_head_is_found(opened: Opened) -> None:
    folder = opened()
    write(folder, [1, 2])
    head = folder.open()
    rewrite(folder, lines(folder)[:1])
    (folder.directory / "head").write_bytes(Key(b"x" * 32).head(head))

    assert (1, "the sealed head is not there, or no key has sealed it") == fault(folder)


def test_nobody_without_the_key_can_go_on_with_the_chain(opened: Opened) -> None:
    folder = opened()
    write(folder, [1, 2])
    forged, _ = Key(b"x" * 32).record(folder.open(), "2026-03-01", ended(3))
    rewrite(folder, [*lines(folder), forged])
    assert len(forged) == whole(folder).piece_bytes
    write(opened(), [4])

    assert (3, 4) == (whole(folder).last - 1, whole(folder).last)


def test_every_torn_append_is_closed_and_told(opened: Opened) -> None:
    """Killed after some number of bytes: what was whole stays, and the rest is described."""
    folder = opened()
    write(folder, [1, 2])
    shutil.copytree(folder.directory, folder.directory.with_name("before"))
    write(folder, [3])
    before, line = b"".join(lines(folder)[:2]), lines(folder)[2]
    wrong = []
    for size in {*range(0, len(line), 9), 1, *range(len(line) - 3, len(line) + 1)}:
        shutil.rmtree(folder.directory)
        shutil.copytree(folder.directory.with_name("before"), folder.directory)
        rewrite(folder, [before, line[:size]])
        kept = size >= len(line) - 1
        torn = 0 < size and not kept
        if size not in (0, len(line), len(line) - 1) and size != whole(folder).piece_bytes:
            wrong.append(size)
        write(opened(), [4])
        verdict = whole(folder)
        if (3 + torn + kept, torn) != (verdict.last, "audit.torn" in events(folder)):
            wrong.append(size)

    assert [] == wrong


def test_an_append_that_is_torn_while_it_closes_another_is_closed(opened: Opened) -> None:
    folder = opened()
    write(folder, [1, 2])
    rewrite(folder, [*lines(folder), b'{"n":3,"at":"20', b'\n{"n":3,"at":"2026-0'])
    write(opened(), [3])

    assert "audit.torn" in events(folder)
    whole(folder)


def test_an_edit_is_not_taken_for_a_torn_append(opened: Opened) -> None:
    """The last record, spoilt: the head knows that it was whole once."""
    folder = opened()
    write(folder, [1, 2, 3])
    old = lines(folder)
    rewrite(folder, [*old[:2], old[2][:40]])
    write(opened(), [4])

    assert (3, "missing") == fault(folder)


def test_a_full_disk_leaves_the_chain_as_it_was(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of the record fits; then nothing. The next append, with room, is as if nothing was."""
    folder = opened()
    write(folder, [1])
    room = [60]
    written = os.write

    def filling(descriptor: int, data: bytes) -> int:
        if not room[0]:
            raise OSError(errno.ENOSPC, "No space left on device")
        piece, room[0] = room[0], 0
        return written(descriptor, data[:piece])

    monkeypatch.setattr(os, "write", filling)
    with pytest.raises(OSError, match="No space"):
        write(folder, [2])
    monkeypatch.undo()
    assert (1, 0) == (whole(folder).last, whole(folder).piece_bytes)
    write(folder, [2])

    assert 2 == whole(folder).last


def test_two_processes_append_to_the_same_chain(opened: Opened) -> None:
    one, other = opened(), opened()
    for call in range(1, 9):
        write(one if call % 3 else other, [call])

    assert 8 == whole(one).last


def test_a_new_month_begins_a_new_file(opened: Opened, calendar: Calendar) -> None:
    folder = opened()
    write(folder, [1, 2])
    calendar.pass_by(31)
    for one in (folder, opened()):
        one.append([(place.stamp(calendar.at), ended(3))])

    assert [1, 3] == [segment.first for segment in folder.segments()]
    assert 4 == whole(folder).last


def test_a_full_file_is_followed_by_another(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place, "SEGMENT_BYTES", 700)
    folder = opened()
    write(folder, range(1, 10))

    assert len(folder.segments()) > 2
    assert 9 == whole(folder).last


def test_a_file_that_is_taken_away_is_found(opened: Opened, calendar: Calendar) -> None:
    folder = opened()
    for call in (1, 2, 3):
        write(folder, [call])
        calendar.pass_by(31)
    first, second, third = folder.segments()
    kept = second.path.read_bytes()
    second.path.unlink()
    assert (2, "missing") == fault(folder)
    second.path.write_bytes(kept)
    first.path.unlink()
    assert (1, "missing, up to 1, and never expired") == fault(folder)
    third.path.unlink()
    assert (3, "missing, up to the last one, 3") == fault(folder)


def test_what_is_older_than_the_retention_goes_and_that_is_recorded(
    opened: Opened, calendar: Calendar
) -> None:
    """Whole months go, none before its last record is old enough."""
    folder = opened(retention_days=60)
    for call in range(1, 7):
        folder.append([(place.stamp(calendar.at), ended(call))])
        calendar.pass_by(31)

    verdict = whole(folder)
    expired = [one.record for one in Reading(folder, {}) if one.record.event == "audit.expired"]
    assert verdict.first == expired[-1].values["through"] + 1
    assert 3 == len(folder.segments())


def test_records_of_an_old_key_are_still_checked(opened: Opened) -> None:
    folder = opened()
    write(folder, [1, 2])
    new = Keys(Key(b"n" * 32), (KEYS.own,))
    write(opened(new), [3])

    assert 3 == whole(opened(new)).last
    rewrite(folder, [line.replace(b"c3", b"c9") for line in lines(folder)])
    assert (3, "missing, up to the last one, 3") == fault(opened(new))


def test_a_key_that_is_not_the_chains_is_an_error_that_says_so(opened: Opened) -> None:
    write(opened(), [1])

    with pytest.raises(ConfigError, match=r"another key has sealed, .*audit.old_key_files"):
        opened(Keys(Key(b"n" * 32)))


def test_only_its_owner_can_read_it(opened: Opened) -> None:
    folder = opened()
    write(folder, [1])

    modes = [folder.directory.stat().st_mode, folder.segments()[0].path.stat().st_mode]
    assert [0o700, 0o600] == [mode & 0o777 for mode in modes]
