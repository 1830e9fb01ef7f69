"""The index of the vault: which calls were kept, until when, and which were erased. SQLite, WAL.

No word of a call stands in it, and no key. The schema only ever grows: a release that does not know
a column leaves it alone, so that one can go back to the release before. It does not know files.
"""

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from voiced.errors import Damaged

MIGRATIONS = (
    """CREATE TABLE calls (
        id TEXT PRIMARY KEY,
        agent TEXT,
        language TEXT,
        recorded INTEGER NOT NULL DEFAULT 0,
        opened_at INTEGER,
        closed_at INTEGER,
        ending TEXT,
        expires_at INTEGER,
        parts INTEGER NOT NULL DEFAULT 0,
        turns INTEGER NOT NULL DEFAULT 0,
        erased_at INTEGER,
        erased_for TEXT
    )""",
    "CREATE INDEX calls_by_expiry ON calls (expires_at) WHERE erased_at IS NULL",
)
"""Statements, each one version: it adds a table, a column with a default, or an index."""

_BUSY_MS = 5_000
_COLUMNS = (
    "id, agent, language, recorded, opened_at, closed_at, ending, expires_at, parts, turns, "
    "erased_at, erased_for"
)


@dataclass(frozen=True, slots=True)
class Row:
    """One call of the index. Instants are seconds of the wall clock."""

    id: str
    agent: str | None
    language: str | None
    recorded: int
    opened_at: int | None
    closed_at: int | None
    ending: str | None
    """Why nothing more was kept; None while the call goes on."""
    expires_at: int | None
    parts: int
    turns: int
    erased_at: int | None
    erased_for: str | None


class Index:
    """One thread; other processes may have it open too."""

    def __init__(self, path: Path, migrations: tuple[str, ...] = MIGRATIONS) -> None:
        """Raises Damaged when the file is no such index, and sqlite3.OperationalError."""
        path.touch(mode=0o600)
        self._db = sqlite3.connect(path, isolation_level=None, timeout=_BUSY_MS / 1000)
        try:
            for pragma in ("journal_mode = WAL", "synchronous = FULL", "secure_delete = ON"):
                self._db.execute(f"PRAGMA {pragma}")
            self._migrate(migrations)
        except sqlite3.OperationalError:
            self._db.close()
            raise
        except sqlite3.DatabaseError:
            self._db.close()
            raise Damaged(f"{path}: is not the vault's index: restore it from a backup") from None

    def add(self, row: Row) -> None:
        self._db.execute(
            f"INSERT INTO calls ({_COLUMNS}) VALUES ({', '.join('?' * 12)})",
            [getattr(row, name) for name in _COLUMNS.split(", ")],
        )

    def grown(self, call: str, parts: int, turns: int) -> bool:
        """A call has so many parts now. False: it was erased meanwhile."""
        return self._changed(
            "UPDATE calls SET parts = ?, turns = ? WHERE id = ? AND erased_for IS NULL",
            parts,
            turns,
            call,
        )

    def close_call(self, call: str, ending: str, at: int) -> None:
        self._changed(
            "UPDATE calls SET ending = ?, closed_at = ? WHERE id = ? AND ending IS NULL",
            ending,
            at,
            call,
        )

    def forget(self, call: str) -> None:
        """A call of which nothing could be kept."""
        self._changed("DELETE FROM calls WHERE id = ?", call)

    def condemn(self, call: str, why: str) -> None:
        """A call is being erased: whoever opens the vault after a crash goes on with it."""
        self._changed(
            "UPDATE calls SET erased_for = ? WHERE id = ? AND erased_for IS NULL", why, call
        )

    def condemned(self) -> list[Row]:
        """Calls whose erasure has begun, and not ended."""
        return self._rows("erased_for IS NOT NULL AND erased_at IS NULL")

    def erase(self, call: str, why: str, at: int) -> None:
        """Nothing stays but that there was a call of that name, and why it is gone."""
        self._changed(
            "UPDATE calls SET agent = NULL, language = NULL, recorded = 0, opened_at = NULL, "
            "closed_at = NULL, ending = NULL, expires_at = NULL, parts = 0, turns = 0, "
            "erased_at = ?, erased_for = ? WHERE id = ? AND erased_at IS NULL",
            at,
            why,
            call,
        )

    def row(self, call: str) -> Row | None:
        return next(iter(self._rows("id = ?", call)), None)

    def rows(self) -> list[Row]:
        """All calls, the newest first, erased ones last."""
        return self._rows("TRUE ORDER BY opened_at DESC, erased_at DESC")

    def running(self) -> list[Row]:
        """Calls of which more is kept, or was, before a crash."""
        return self._rows("ending IS NULL AND erased_at IS NULL")

    def expired(self, at: int) -> list[Row]:
        return self._rows("expires_at <= ? AND erased_at IS NULL", at)

    def settle(self) -> None:
        """Moves all that was written into the index's own file; its journal is empty then."""
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def copy_to(self, path: Path) -> None:
        """A snapshot, while others write."""
        copy = sqlite3.connect(path)
        try:
            self._db.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
        finally:
            copy.close()

    def close(self) -> None:
        self._db.close()

    def _migrate(self, migrations: tuple[str, ...]) -> None:
        """A newer release's schema is left as it is: it has all that this one needs."""
        with self._db:
            self._db.execute("BEGIN IMMEDIATE")
            (version,) = self._db.execute("PRAGMA user_version").fetchone()
            for number, statement in enumerate(migrations[version:], start=version + 1):
                self._db.execute(statement)
                self._db.execute(f"PRAGMA user_version = {number}")

    def _rows(self, where: str, *values: object) -> list[Row]:
        found = self._db.execute(f"SELECT {_COLUMNS} FROM calls WHERE {where}", values)
        return [Row(*columns) for columns in found]

    def _changed(self, statement: str, *values: object) -> bool:
        return self._db.execute(statement, values).rowcount > 0
