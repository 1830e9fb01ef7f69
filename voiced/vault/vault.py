"""The vault: calls that are being kept, calls that were, and how they end for good.

    DIR/voiced.db        the index
    DIR/keys/CALL        the call's key, wrapped
    DIR/calls/CALL       its sealed parts

A call's row is there before its key, its key before its parts; so whatever instant a crash has
chosen, the vault opens, and at most the part that was being written is missing. To erase is to
destroy the key, once it is written that this is wanted. What has no row is never touched: somebody
may have lost the index, and have it in a backup. It does not know turns or sound, nor threads.
"""

import errno
import fcntl
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from voiced.errors import UnavailableError
from voiced.vault import files
from voiced.vault.index import Index, Row
from voiced.vault.keyring import PROBE, Keyring
from voiced.vault.keys import SiteKeys
from voiced.vault.model import Opening
from voiced.vault.record import Kind
from voiced.vault.sealed import Part, Sealer, parts

INDEX, KEYS, CALLS = "voiced.db", "keys", "calls"
CRASHED = "crashed"
DAY_S = 86_400

Wall = Callable[[], int]
"""Seconds of the wall clock."""


class Gone(Exception):
    """The call was erased while it was being kept."""


class Vault:
    """One thread. The daemon's own has the lock; operators' may be open beside it."""

    def __init__(self, directory: Path, wall: Wall, spare_bytes: int = 0) -> None:
        """`spare_bytes`: what must stay free on the disk. Raises UnavailableError or Damaged."""
        self.keys = Keyring(directory / KEYS)
        self._calls = directory / CALLS
        self._wall = wall
        self._spare_bytes = spare_bytes
        self._open: dict[str, _Open] = {}
        try:
            for folder in (directory, directory / KEYS, self._calls):
                files.folder(folder)
            self.index = Index(directory / INDEX)
        except (OSError, sqlite3.OperationalError) as error:
            raise UnavailableError(
                f"vault.dir = '{directory}': cannot be opened ({error}): is it there, and this "
                "user's?"
            ) from None

    def begin(self, opening: Opening, site: SiteKeys) -> None:
        """A call is kept from now on. Raises OSError; nothing is left of it then."""
        self._check_room()
        at = self._wall()
        self.index.add(
            Row(
                id=opening.call,
                agent=opening.agent,
                language=opening.language,
                recorded=int(opening.recorded),
                opened_at=at,
                closed_at=None,
                ending=None,
                expires_at=at + opening.retention_days * DAY_S,
                parts=0,
                turns=0,
                erased_at=None,
                erased_for=None,
            )
        )
        try:
            key = self.keys.make(opening.call, site)
            sealer = Sealer(self._calls / opening.call, opening.call, key)
        except OSError:
            self.keys.destroy(opening.call)
            self.index.forget(opening.call)
            raise
        self._open[opening.call] = _Open(sealer)

    def add(self, call: str, kind: Kind, content: bytes) -> None:
        """One more part. Raises Gone, or OSError: then the part is not there, all others are."""
        kept = self._open[call]
        self._check_room()
        kept.sealer.add(kind, content)
        kept.turns += kind is Kind.TURN
        if not self.index.grown(call, kept.sealer.parts, kept.turns):
            raise Gone

    def end(self, call: str, ending: str) -> None:
        """Nothing more is kept of the call; `ending` is why, a plain name. Never raises OSError."""
        kept = self._open.pop(call, None)
        if kept is None:
            return
        with suppress(OSError, sqlite3.OperationalError):
            kept.sealer.add(Kind.END, ending.encode())
            self.index.grown(call, kept.sealer.parts, kept.turns)
        with suppress(sqlite3.OperationalError):  # a full disk: closed as crashed at the next start
            self.index.close_call(call, ending, self._wall())
        kept.sealer.close()

    def row(self, call: str) -> Row:
        """Raises UnavailableError when no such call was kept, or it was erased."""
        row = self.index.row(call)
        if row is None:
            raise UnavailableError(
                f"calls: there is no call {call} in the vault: voiced calls list"
            )
        if row.erased_at is not None:
            raise UnavailableError(f"calls: {call} was erased ({row.erased_for})")
        return row

    def read(self, call: str, site: SiteKeys) -> Iterator[Part]:
        """A call's parts. Raises UnavailableError or Damaged; the latter behind the whole ones."""
        row = self.row(call)
        return parts(self._calls / call, call, self.keys.open(call, site), row.parts)

    def erase(self, call: str, why: str) -> None:
        """Nobody can read the call any more, whoever has copies of its parts. Idempotent."""
        with suppress(sqlite3.OperationalError):  # a full disk keeps nobody from erasing
            self.index.condemn(call, why)
        self.keys.destroy(call)
        files.remove(self._calls / call)
        self.index.erase(call, why, self._wall())
        self.index.settle()

    def expired(self) -> list[str]:
        """Calls that were kept for long enough."""
        return [row.id for row in self.index.expired(self._wall())]

    def recover(self) -> int:
        """Ends what a crash has left open; how many calls. For the holder of the lock alone."""
        self.keys.tidy()
        for row in self.index.condemned():
            self.erase(row.id, row.erased_for or "")
        running = self.index.running()
        for row in running:
            self.index.close_call(row.id, CRASHED, self._wall())
        return len(running)

    def strays(self) -> int:
        """Keys of which the index does not know: it was lost, or is another's."""
        known = {row.id for row in self.index.rows()}
        return sum(name not in known for name in self.keys if name != PROBE)

    def try_disk(self) -> None:
        """Raises OSError while the disk takes nothing."""
        self._check_room()
        trial = self._calls / f"trial{files.UNFINISHED}"
        files.put(trial, bytes(4096))
        files.remove(trial)

    def prepare(self, site: SiteKeys) -> None:
        """There is a key by which anybody can tell whether he has the site's, and it is ours.

        Raises UnavailableError or Damaged when the vault was made with another site key.
        """
        if self.keys.holds(PROBE):
            self.keys.open(PROBE, site)
        else:
            self.keys.make(PROBE, site)

    def close(self) -> None:
        for call in list(self._open):
            self.end(call, CRASHED)
        self.index.close()

    def _check_room(self) -> None:
        """Stops before the disk is full to the last byte: the index and others need some."""
        free = os.statvfs(self._calls)
        if free.f_bavail * free.f_frsize < self._spare_bytes:
            raise OSError(errno.ENOSPC, "less than vault.spare_mb is free")


@dataclass(slots=True)
class _Open:
    sealer: Sealer
    turns: int = 0


@contextmanager
def opened(directory: Path, wall: Wall) -> Iterator[Vault]:
    """The vault beside the daemon that may be using it, for an operator."""
    if not (directory / INDEX).is_file():
        raise UnavailableError(
            f"vault.dir = '{directory}': there is no vault: nothing was kept yet"
        )
    with closing(Vault(directory, wall)) as vault:
        yield vault


def lock(directory: Path) -> int:
    """A descriptor that holds the vault for one daemon until it is closed."""
    try:
        descriptor = os.open(directory / CALLS, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise UnavailableError(f"vault.dir = '{directory}': {error.strerror}") from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise UnavailableError(
            f"vault.dir = '{directory}': another voiced keeps its calls there: stop it, or write "
            "another vault.dir"
        ) from None
    return descriptor
