"""Files that survive a crash, and files of which nothing is left: the few calls that it takes.

What is written is on the disk before the next step. It does not know what is in a file.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

UNFINISHED = ".new"
"""How the name of a file ends while it is being written."""

_PRIVATE = 0o600


def put(path: Path, content: bytes) -> None:
    """The file has this content, whole, or is as it was; the old content is overwritten."""
    fresh = path.with_name(path.name + UNFINISHED)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _PRIVATE)
    try:
        as_its_folder(fresh)
        write(descriptor, content)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    old = _opened(path)
    os.rename(fresh, path)
    sync(path.parent)
    if old is not None:
        _wipe(old)


def destroy(path: Path) -> None:
    """Overwrites a small file where it lies, and removes it. Nothing where there is none."""
    old = _opened(path)
    if old is None:
        return
    _wipe(old)
    path.unlink(missing_ok=True)
    sync(path.parent)


def remove(path: Path) -> None:
    """Removes a file that needs no overwriting. Nothing where there is none."""
    path.unlink(missing_ok=True)
    sync(path.parent)


def create(path: Path) -> int:
    """A descriptor of a new file that is appended to. Raises FileExistsError."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
    descriptor = os.open(path, flags, _PRIVATE)
    as_its_folder(path)
    sync(path.parent)
    return descriptor


def write(descriptor: int, content: bytes) -> None:
    """All of it. Raises OSError, and then a piece of it may be there."""
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]


def folder(path: Path) -> None:
    """A folder that only its owner may look into."""
    if not path.is_dir():
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        as_its_folder(path)


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """No other process does meanwhile what also waits for this folder."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def sync(folder: Path) -> None:
    """Names that were added to or removed from a folder are so on the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _opened(path: Path) -> int | None:
    with suppress(FileNotFoundError):
        return os.open(path, os.O_RDWR)
    return None


def _wipe(descriptor: int) -> None:
    """Zeros in the place of the content, on the disk."""
    try:
        os.pwrite(descriptor, bytes(os.fstat(descriptor).st_size), 0)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def as_its_folder(path: Path) -> None:
    """What root makes in the daemon's folder is the daemon's."""
    if os.geteuid() == 0:
        owner = path.parent.stat()
        os.chown(path, owner.st_uid, owner.st_gid)
