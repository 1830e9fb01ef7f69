"""Brings a model's files into the store: fetched, hashed, renamed when right.

A file appears under its name only when it is whole and its SHA-256 is the catalogue's. A lock for
each model lets a second pull wait for the first and then find nothing to do. It does not know what
the files are for.
"""

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from voiced.catalog import https
from voiced.catalog.digest import sha256_of
from voiced.catalog.fetch import Archives, Fetched, pieces
from voiced.catalog.model import HttpsSource, Model, ModelFile
from voiced.catalog.npm import Advance
from voiced.catalog.pins import Pin
from voiced.catalog.progress import Progress
from voiced.catalog.store import Store, check_pinned
from voiced.errors import Damaged, UnavailableError

_PARTIAL = ".partial"
_SPARE_BYTES = 50_000_000


def pull(model: Model, store: Store, progress: Progress) -> list[str]:
    """Fetches what is missing or damaged; returns the names of the files that it wrote.

    Raises ConfigError (a file without a SHA-256), UnavailableError (no network, no room, no right
    to write) and Damaged (what came is not what the catalogue says; nothing of it is kept).
    """
    for file in model.files:
        check_pinned(model, file)
    with alone(model, store, progress) as folder:
        wanted = [file for file in model.files if store.state_of(model, file) != "ok"]
        with _fetching(model, folder, wanted, progress) as archives:
            for file in wanted:
                path = folder / file.name
                _fetch(path, file, archives, progress.advance_of(file.bytes))
                accept(path, file)
                store.learn(model, file)
    return [file.name for file in wanted]


def pin(model: Model, store: Store, progress: Progress) -> list[Pin]:
    """Fetches the files that have no SHA-256, and says which they are; they are kept.

    Whoever runs it vouches for them: it believes what comes. Raises UnavailableError.
    """
    unpinned = [file for file in model.files if not file.pinned]
    pins = []
    with (
        alone(model, store, progress) as folder,
        _fetching(model, folder, unpinned, progress) as archives,
    ):
        for file in unpinned:
            path = folder / file.name
            _fetch(path, file, archives, progress.advance_of(0))
            partial = partial_of(path)
            found, size = sha256_of(partial), partial.stat().st_size
            partial.replace(path)
            https.forget(partial)
            pins.append(
                Pin(
                    model=model.name,
                    version=model.version,
                    file=file.name,
                    sha256=found,
                    bytes=size,
                )
            )
    return pins


@contextlib.contextmanager
def alone(model: Model, store: Store, progress: Progress) -> Iterator[Path]:
    """The model's folder, under its lock. Raises UnavailableError when nobody may write there."""
    folder = store.directory / model.name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _locked(folder, progress):
            yield folder
    except OSError as error:
        raise UnavailableError(
            f"{folder}: cannot be written ({error.strerror}): run this as a user who may, or name "
            "another folder under [models] dir"
        ) from None


@contextlib.contextmanager
def _fetching(
    model: Model, folder: Path, wanted: list[ModelFile], progress: Progress
) -> Iterator[Fetched]:
    """Where archives are fetched to; they are gone afterwards."""
    _sweep(folder, {file.name for file in wanted if isinstance(file.source, HttpsSource)})
    check_room(model, folder, wanted)
    progress.begin(model.name, sum(file.bytes for file in wanted))
    with tempfile.TemporaryDirectory(prefix=".wheels-", dir=folder) as wheelhouse:
        yield Fetched(Path(wheelhouse))
    progress.end()


def _fetch(path: Path, file: ModelFile, archives: Archives, advance: Advance) -> None:
    """Brings the bytes to `path`.partial; one that a server sends may be half there already."""
    partial = partial_of(path)
    if isinstance(file.source, HttpsSource):
        https.fetch(file.source.url, partial, advance)
        return
    try:
        with partial.open("wb") as output:
            for piece in pieces(file.source, archives, advance):
                output.write(piece)
            output.flush()
            os.fsync(output.fileno())
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def accept(path: Path, file: ModelFile) -> None:
    """Gives the file its name when it is the right one. Raises Damaged."""
    partial = partial_of(path)
    found = sha256_of(partial)
    if found != file.sha256:
        https.forget(partial)
        path.unlink(missing_ok=True)
        raise Damaged(
            f"{path}: deleted, because its SHA-256 is {found} and the catalogue says {file.sha256}"
        )
    partial.replace(path)
    https.forget(partial)


def partial_of(path: Path) -> Path:
    return path.with_name(path.name + _PARTIAL)


def _sweep(folder: Path, going_on: set[str]) -> None:
    """Removes what a pull that was killed left behind, and nobody goes on with. Under the lock."""
    for leftover in folder.glob(f"*{_PARTIAL}*"):
        if leftover.name.partition(_PARTIAL)[0] not in going_on:
            leftover.unlink()
    for leftover in folder.glob(".wheels-*"):
        shutil.rmtree(leftover, ignore_errors=True)


def check_room(model: Model, folder: Path, wanted: list[ModelFile]) -> None:
    """A file lies there twice for a moment where it comes in a wheel; a server's does not."""
    needed = _SPARE_BYTES * bool(wanted) + sum(
        file.bytes * (1 if isinstance(file.source, HttpsSource) else 2) for file in wanted
    )
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
