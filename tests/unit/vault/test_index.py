"""The index: migrations, and what an erased call leaves."""

import sqlite3
from pathlib import Path

import pytest

from voiced.errors import Damaged
from voiced.vault.index import MIGRATIONS, Index, Row

pytestmark = pytest.mark.unit


def row(call: str, opened_at: int = 100, expires_at: int = 200) -> Row:
    return Row(call, "reception", "en", 1, opened_at, None, None, expires_at, 0, 0, None, None)


def version(path: Path) -> int:
    db = sqlite3.connect(path)
    (found,) = db.execute("PRAGMA user_version").fetchone()
    db.close()
    return int(found)


def test_a_new_index_has_every_migration_and_a_journal_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "i.db"
    index = Index(path)
    index.add(row("c1"))

    assert len(MIGRATIONS) == version(path)
    assert [row("c1")] == index.rows()
    assert (tmp_path / "i.db-wal").exists()
    index.close()


def test_an_index_of_the_next_release_works_under_this_one_and_stays_what_it_is(
    tmp_path: Path,
) -> None:
    """The way back by one release: it knows neither the column nor the table, and needs neither."""
    path = tmp_path / "i.db"
    newer = (
        *MIGRATIONS,
        "ALTER TABLE calls ADD COLUMN ward TEXT DEFAULT 'none'",
        "CREATE TABLE notes (call TEXT)",
    )
    index = Index(path, newer)
    index.add(row("c1"))
    index.close()

    older = Index(path)
    older.add(row("c2"))
    assert older.grown("c1", 3, 2)
    older.erase("c2", "asked", 7)
    older.close()
    assert len(newer) == version(path)

    again = Index(path, newer)
    assert {"c1", "c2"} == {one.id for one in again.rows()}
    again.close()


def test_an_index_of_the_release_before_is_brought_up_with_all_that_is_in_it(
    tmp_path: Path,
) -> None:
    path = tmp_path / "i.db"
    old = Index(path)
    old.add(row("c1"))
    old.close()

    Index(path, (*MIGRATIONS, "ALTER TABLE calls ADD COLUMN ward TEXT DEFAULT 'none'")).close()

    db = sqlite3.connect(path)
    assert [("c1", "none")] == db.execute("SELECT id, ward FROM calls").fetchall()
    db.close()


def test_a_migration_that_fails_leaves_the_index_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "i.db"
    Index(path).close()

    with pytest.raises(sqlite3.OperationalError):
        Index(path, (*MIGRATIONS, "CREATE TABLE notes (call TEXT)", "ALTER TABLE nowhere ADD x"))

    assert len(MIGRATIONS) == version(path)
    Index(path).close()


def test_an_erased_call_leaves_its_name_and_why(tmp_path: Path) -> None:
    index = Index(tmp_path / "i.db")
    index.add(row("c1"))
    index.erase("c1", "asked", 150)

    left = Row("c1", None, None, 0, None, None, None, None, 0, 0, 150, "asked")
    assert [left] == index.rows()
    assert not index.grown("c1", 1, 1)
    index.erase("c1", "retention", 300)
    assert [left] == index.rows()
    index.close()


def test_expired_calls_are_those_whose_day_has_come(tmp_path: Path) -> None:
    index = Index(tmp_path / "i.db")
    for call, expires_at in (("old", 199), ("due", 200), ("young", 201)):
        index.add(row(call, expires_at=expires_at))

    assert {"old", "due"} == {one.id for one in index.expired(200)}
    index.close()


def test_a_file_that_is_no_index_is_named(tmp_path: Path) -> None:
    path = tmp_path / "i.db"
    path.write_bytes(b"no database at all, whatever its name says" * 50)

    with pytest.raises(Damaged, match=r"i\.db"):
        Index(path)
