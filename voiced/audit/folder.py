"""The chain on the disk: appended whole or not at all, sealed at its head, in files by month.

    DIR/000000000001-3fa2b1c4.jsonl    first number, print of the key that sealed it
    DIR/head                           the last record, sealed: rewritten after every append
    DIR/lock                           one process at a time appends

An append that was interrupted leaves a piece of a line. Whoever appends next ends that line and
describes it in a record, so it is neither taken for an attack nor passed over. Records that the
head knows and the files have not are numbers that stay missing.

It blocks; any process may append. It does not know who calls, or from which thread (`trail`).
"""

import fcntl
import io
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

from voiced import clock
from voiced.audit.chain import START, Head, Key, Record, torn
from voiced.audit.entries import AuditExpired, AuditHeadLost, AuditTorn, Entry
from voiced.audit.keys import Keys
from voiced.ops import log

SEGMENT_BYTES = 8_000_000
"""A file that is larger is followed by another; some 25,000 records."""

_HEAD = "head"
LOCK = "lock"
"""Who holds it, alone appends, or copies a whole chain."""

_SUFFIX = ".jsonl"

Stamped = tuple[str, Entry]
"""When, in ISO 8601, and what."""


@dataclass(frozen=True, slots=True)
class Segment:
    """One file of the chain."""

    path: Path
    first: int
    key: str
    """Print of the key that sealed it."""


@dataclass(frozen=True, slots=True)
class _Tail:
    """Where the next record goes."""

    head: Head
    segment: Segment | None
    size: int
    month: str
    ended: bool = True
    """The file ends with a line feed."""
    piece: bytes = b""
    """What an interrupted append left behind the last record."""
    headless: bool = False


class Folder:
    """One folder. One thread at a time; other processes may append to the same one."""

    def __init__(
        self,
        directory: Path,
        keys: Keys,
        retention_days: int,
        wall: Callable[[], datetime] = clock.wall,
    ) -> None:
        self.directory = directory
        self.keys = keys
        self._retention = timedelta(days=retention_days)
        self._wall = wall
        self._tail: _Tail | None = None

    def open(self) -> Head:
        """Makes the folder where there is none, and looks where the chain ends.

        Raises ConfigError: another key has sealed it. OSError: the folder cannot be used.
        """
        self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self._alone():
            if not self._kept_head().is_file() and not self.segments():
                self._keep(START)
            return self._found().head

    def append(self, batch: Sequence[Stamped]) -> Head:
        """Adds records, and returns when they are on the disk. Raises OSError: none of them is."""
        with self._alone():
            tail = self._found()
            self._tail = None
            if not tail.ended:
                assert tail.segment is not None
                self._add(tail.segment.path, b"\n")
            due = [(self._now(), entry) for entry in self._due(tail)]
            segment, fresh = self._target(tail)
            expired = self._expired() if fresh else []
            if expired:
                due.append((self._now(), AuditExpired(expired[-1][1])))
            head, lines = tail.head, b""
            for at, entry in (*due, *batch):
                line, head = self.keys.own.record(head, at, entry)
                lines += line
            size = self._add(segment.path, lines)
            if fresh:
                _settle(self.directory)
            self._keep(head)
            self._tail = _Tail(head, segment, size, self._now()[:7] if fresh else tail.month)
            for gone, _through in expired:
                gone.path.unlink(missing_ok=True)
            return head

    def segments(self) -> list[Segment]:
        """The files, in the order of their records."""
        found = []
        for path in self.directory.glob(f"*{_SUFFIX}"):
            first, _, key = path.name.removesuffix(_SUFFIX).partition("-")
            if first.isdigit():
                found.append(Segment(path, int(first), key))
        return sorted(found, key=lambda one: (one.first, one.key))

    def head(self) -> Head | None:
        """The sealed head; None: it is not there, or no key has sealed it."""
        try:
            kept = self._kept_head().read_bytes()
        except OSError:
            return None
        return next((head for key in self.keys.all if (head := key.read_head(kept))), None)

    def _found(self) -> _Tail:
        """As it was left, unless another process has appended since."""
        tail, segments = self._tail, self.segments()
        if tail is None or not segments or segments[-1] != tail.segment:
            return self._looked(segments)
        same = segments[-1].path.stat().st_size == tail.size
        return tail if same else self._looked(segments)

    def _looked(self, segments: Sequence[Segment]) -> _Tail:
        """Where the files end, and what the head knows of that."""
        kept = self.head()
        head, piece, ended, size, month = START, b"", True, 0, self._now()[:7]
        for segment in reversed(segments):
            lines = list(io.BytesIO(segment.path.read_bytes()))
            key = self.keys.of(segment.key, self.directory)
            last = next((n for n in reversed(range(len(lines))) if _read(key, lines[n])), -1)
            if segment is segments[-1]:
                size = sum(len(line) for line in lines)
                ended = not lines or lines[-1].endswith(b"\n")
                first = _read(key, lines[0]) if lines else None
                month = first.at[:7] if first is not None else month
            piece = b"".join(lines[last + 1 :]) + piece
            if last >= 0:
                record = _read(key, lines[last])
                assert record is not None
                head = record.head
                break
        if piece and not ended:
            piece += b"\n"  # which is written before anything else
        if kept is not None and kept.number > head.number:
            log.warning("audit.cut", number=head.number + 1, through=kept.number)
            head = kept
        if kept is None:
            log.warning("audit.head_lost", number=head.number)
        newest = segments[-1] if segments else None
        return _Tail(head, newest, size, month, ended, piece, headless=kept is None)

    def _due(self, tail: _Tail) -> Iterator[Entry]:
        """What the audit has to say of itself before it goes on."""
        if tail.piece:
            yield AuditTorn(*torn(tail.piece))
        if tail.headless:
            yield AuditHeadLost()

    def _target(self, tail: _Tail) -> tuple[Segment, bool]:
        """The file that the next record goes to, and whether it is a new one."""
        old, key = tail.segment, self.keys.own.name
        fits = tail.month == self._now()[:7] and tail.size < SEGMENT_BYTES
        if old is not None and old.key == key and fits:
            return old, False
        first = tail.head.number + 1
        return Segment(self.directory / f"{first:012d}-{key}{_SUFFIX}", first, key), True

    def _expired(self) -> list[tuple[Segment, int]]:
        """Files whose every record is older than the retention, and the last number of each."""
        found: list[tuple[Segment, int]] = []
        oldest = (self._wall() - self._retention).isoformat(timespec="milliseconds")
        for segment, following in pairwise(self.segments()):
            with following.path.open("rb") as lines:
                begun = _read(self.keys.of(following.key, self.directory), lines.readline())
            if begun is None or begun.at >= oldest:
                break
            found.append((segment, following.first - 1))
        return found

    def _keep(self, head: Head) -> None:
        """Rewrites the head. One that is late is no harm: the records before it are sealed."""
        try:
            temporary = self._kept_head().with_suffix(".new")
            with temporary.open("wb") as file:
                self._own(file.fileno())
                file.write(self.keys.own.head(head))
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(self._kept_head())
        except OSError as error:
            log.failure("audit.head_unwritten", error)

    def _add(self, path: Path, data: bytes) -> int:
        """Appends to a file, to the disk; its new size. Raises OSError, and nothing was added."""
        with path.open("ab", buffering=0) as file:
            self._own(file.fileno())
            size = os.fstat(file.fileno()).st_size
            try:
                left = memoryview(data)
                while left:
                    left = left[os.write(file.fileno(), left) :]
                os.fsync(file.fileno())
            except OSError:
                with suppress(OSError):  # a full disk lets a file shrink
                    os.ftruncate(file.fileno(), size)
                raise
            return size + len(data)

    def _own(self, descriptor: int) -> None:
        """A file is for its owner only: the folder's owner, also where root's command made it."""
        os.fchmod(descriptor, 0o600)
        if os.geteuid() == 0:
            folder = self.directory.stat()
            os.fchown(descriptor, folder.st_uid, folder.st_gid)

    def _kept_head(self) -> Path:
        return self.directory / _HEAD

    def _now(self) -> str:
        return stamp(self._wall())

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """No other process appends meanwhile."""
        with (self.directory / LOCK).open("w") as lock:
            self._own(lock.fileno())
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def stamp(at: datetime) -> str:
    """An instant as the records have it."""
    return at.isoformat(timespec="milliseconds")


def _read(key: Key, line: bytes) -> Record | None:
    return key.read(line.removesuffix(b"\n"))


def _settle(directory: Path) -> None:
    """The name of a new file is on the disk."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
