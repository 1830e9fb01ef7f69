"""The vault: what is kept, what a crash leaves, and what is left of an erased call."""

import errno
import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from voiced.errors import Damaged, UnavailableError
from voiced.vault import files
from voiced.vault.keys import SiteKey, SiteKeys
from voiced.vault.model import Opening
from voiced.vault.record import Kind
from voiced.vault.vault import DAY_S, Gone, Vault, lock, opened

pytestmark = pytest.mark.unit

SITE = SiteKeys([SiteKey.of(b"s" * 32)])
OTHER = SiteKeys([SiteKey.of(b"t" * 32)])


class Days:
    """A wall clock that a test turns."""

    def __init__(self) -> None:
        self.now = 1_000_000

    def __call__(self) -> int:
        return self.now

    def pass_(self, days: float) -> None:
        self.now += int(days * DAY_S)


@pytest.fixture
def days() -> Days:
    return Days()


@pytest.fixture
def vault(tmp_path: Path, days: Days) -> Iterator[Vault]:
    with closing(Vault(tmp_path / "v", days)) as vault:
        yield vault


def opening(call: str, retention_days: int = 30) -> Opening:
    return Opening(call, "reception", "en", recorded=True, retention_days=retention_days)


def keep(vault: Vault, call: str, *said: bytes, retention_days: int = 30) -> None:
    vault.begin(opening(call, retention_days), SITE)
    for content in said:
        vault.add(call, Kind.TURN, content)
    vault.end(call, "left")


def everything(directory: Path) -> bytes:
    return b"".join(path.read_bytes() for path in directory.rglob("*") if path.is_file())


def test_a_kept_call_is_read_with_the_site_key_and_by_nobody_else(vault: Vault) -> None:
    keep(vault, "c1", b"hello", b"goodbye")

    read = [(part.kind, part.content) for part in vault.read("c1", SITE)]
    assert [(1, b"hello"), (1, b"goodbye"), (3, b"left")] == read
    with pytest.raises(UnavailableError, match="wrapped by site key"):
        vault.read("c1", OTHER)


def test_nothing_that_was_said_lies_in_the_folder(vault: Vault, tmp_path: Path) -> None:
    keep(vault, "c1", b"my knee hurts")

    assert b"knee" not in everything(tmp_path)
    assert {0o700} == {p.stat().st_mode & 0o777 for p in (tmp_path / "v").rglob("*") if p.is_dir()}


def test_of_an_erased_call_neither_key_nor_parts_are_left(vault: Vault, tmp_path: Path) -> None:
    keep(vault, "c1", b"hello")
    keep(vault, "c2", b"hello")
    wrapped = (tmp_path / "v/keys/c1").read_bytes()

    vault.erase("c1", "asked")

    assert wrapped[8:] not in everything(tmp_path)
    assert not (tmp_path / "v/calls/c1").exists()
    assert b"reception" in everything(tmp_path)  # of the other call
    with pytest.raises(UnavailableError, match=r"c1 was erased \(asked\)"):
        vault.read("c1", SITE)
    assert 2 == len(list(vault.read("c2", SITE)))


def test_a_copy_of_the_parts_is_worthless_once_the_call_was_erased(
    vault: Vault, tmp_path: Path
) -> None:
    keep(vault, "c1", b"hello")
    copy = (tmp_path / "v/calls/c1").read_bytes()
    vault.erase("c1", "asked")
    (tmp_path / "v/calls/c1").write_bytes(copy)

    with pytest.raises(UnavailableError, match="no key of call c1"):
        vault.keys.open("c1", SITE)


def test_a_call_that_is_erased_while_it_goes_on_is_no_longer_kept(
    vault: Vault, tmp_path: Path, days: Days
) -> None:
    vault.begin(opening("c1"), SITE)
    vault.add("c1", Kind.TURN, b"hello")
    with opened(tmp_path / "v", days) as beside:
        beside.erase("c1", "asked")

    with pytest.raises(Gone):
        vault.add("c1", Kind.TURN, b"more")
    vault.end("c1", "erased")
    assert not (tmp_path / "v/calls/c1").exists()
    with pytest.raises(UnavailableError, match="erased"):
        vault.row("c1")


def test_calls_are_to_be_erased_once_their_days_are_over(vault: Vault, days: Days) -> None:
    keep(vault, "short", b"hello", retention_days=1)
    keep(vault, "long", b"hello", retention_days=30)

    days.pass_(0.9)
    assert [] == vault.expired()
    days.pass_(0.1)
    assert ["short"] == vault.expired()
    vault.erase("short", "retention")
    assert [] == vault.expired()
    days.pass_(29)
    assert ["long"] == vault.expired()


@pytest.mark.parametrize("lost", ["nothing", "row", "parts", "key", "erasing"])
def test_whatever_a_crash_left_the_vault_opens_and_the_other_calls_are_whole(
    tmp_path: Path, days: Days, lost: str
) -> None:
    directory = tmp_path / "v"
    crashed = Vault(directory, days)
    keep(crashed, "before", b"hello")
    crashed.begin(opening("running"), SITE)
    crashed.add("running", Kind.TURN, b"one")
    if lost == "row":  # the row was written, and nothing else
        crashed.index.add(replace(crashed.row("running"), id="half"))
    if lost == "parts":
        (directory / "calls/running").unlink()
    if lost in ("key", "erasing"):  # an erasure that did not get further
        crashed.index.condemn("running", "asked")
    if lost == "key":
        crashed.keys.destroy("running")
    crashed.index.close()

    with closing(Vault(directory, days)) as vault:
        assert {"row": 2, "key": 0, "erasing": 0}.get(lost, 1) == vault.recover()
        assert 2 == len(list(vault.read("before", SITE)))
        assert set(vault.keys) <= {"before", "running"}
        if lost == "parts":
            with pytest.raises(Damaged):
                list(vault.read("running", SITE))
        elif lost in ("key", "erasing"):
            with pytest.raises(UnavailableError, match="was erased"):
                vault.row("running")
            assert not vault.keys.holds("running")
            assert not (directory / "calls/running").exists()
        else:
            assert [b"one"] == [part.content for part in vault.read("running", SITE)]
            assert "crashed" == vault.row("running").ending
        assert 0 == vault.recover()


@pytest.mark.parametrize("lost", ["voiced.db", "keys"])
def test_what_was_lost_by_accident_is_not_erased_along_with_the_rest(
    tmp_path: Path, days: Days, lost: str
) -> None:
    """A disk that was not mounted, an index that somebody removed: a backup can mend that."""
    directory = tmp_path / "v"
    with closing(Vault(directory, days)) as vault:
        keep(vault, "c1", b"hello")
    kept = {path.name: path.read_bytes() for path in (directory / "calls").iterdir()}
    (directory / lost).rename(tmp_path / "elsewhere")

    with closing(Vault(directory, days)) as vault:
        vault.recover()
        assert (lost == "voiced.db") == bool(vault.strays())
        assert lost == "voiced.db" or not vault.index.rows()[0].erased_at
    assert kept == {path.name: path.read_bytes() for path in (directory / "calls").iterdir()}


def test_a_disk_that_is_full_at_the_beginning_of_a_call_has_nothing_of_it(
    vault: Vault, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="full"):
        vault.begin(opening("c1"), SITE)

    assert ([], []) == (vault.index.rows(), list(vault.keys))


def test_a_full_disk_takes_no_part_and_spoils_none(
    tmp_path: Path, days: Days, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(Vault(tmp_path / "v", days)) as vault:
        vault.begin(opening("c1"), SITE)
        vault.add("c1", Kind.TURN, b"one")
        real = os.write

        def half(descriptor: int, content: bytes) -> int:
            if len(content) > 100:
                return real(descriptor, content[:50])
            raise OSError(errno.ENOSPC, "full")

        monkeypatch.setattr(os, "write", half)
        with pytest.raises(OSError, match="full"):
            vault.add("c1", Kind.TURN, b"t" * 80)
        monkeypatch.undo()
        vault.end("c1", "full")

        read = [part.content for part in vault.read("c1", SITE)]
        assert [b"one", b"full"] == read


def test_what_must_stay_free_on_the_disk_stays_free(tmp_path: Path, days: Days) -> None:
    with closing(Vault(tmp_path / "v", days, spare_bytes=1 << 60)) as vault:
        with pytest.raises(OSError, match="spare") as full:
            vault.begin(opening("c1"), SITE)
        assert errno.ENOSPC == full.value.errno
        assert [] == vault.index.rows()


def test_a_vault_says_when_it_was_made_with_another_site_key(vault: Vault) -> None:
    vault.prepare(SITE)
    vault.prepare(SITE)

    with pytest.raises(UnavailableError, match="probe"):
        vault.prepare(OTHER)


def test_the_site_key_is_changed_while_calls_are_kept(vault: Vault) -> None:
    vault.prepare(SITE)
    keep(vault, "c1", b"hello")
    both = SiteKeys([OTHER.present, SITE.present])

    assert 2 == vault.keys.rewrap(both)
    assert 0 == vault.keys.rewrap(both)
    assert [b"hello", b"left"] == [part.content for part in vault.read("c1", OTHER)]
    with pytest.raises(UnavailableError):
        vault.read("c1", SITE)


def test_a_key_that_is_destroyed_while_all_are_wrapped_anew_does_not_come_back(
    vault: Vault, tmp_path: Path, days: Days, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The daemon's sweep, or an operator's erasure, beside an operator's rekey."""
    for call in ("c1", "c2", "c3"):
        keep(vault, call, b"hello")
    real = files.put

    def put(path: Path, content: bytes) -> None:
        real(path, content)
        (tmp_path / "v/keys/c2").unlink(missing_ok=True)

    monkeypatch.setattr(files, "put", put)

    assert 2 == vault.keys.rewrap(SiteKeys([OTHER.present, SITE.present]))
    assert not vault.keys.holds("c2")


def test_only_one_daemon_keeps_its_calls_in_a_vault(vault: Vault, tmp_path: Path) -> None:
    held = lock(tmp_path / "v")

    with pytest.raises(UnavailableError, match="another voiced"):
        lock(tmp_path / "v")
    os.close(held)
    os.close(lock(tmp_path / "v"))


def test_there_is_no_vault_before_something_was_kept(tmp_path: Path, days: Days) -> None:
    with pytest.raises(UnavailableError, match="no vault"), opened(tmp_path, days):
        pass
