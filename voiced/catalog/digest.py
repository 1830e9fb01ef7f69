"""SHA-256 of files, and a memory of those already found right.

Hashing hundreds of megabytes at each start would cost seconds; a file whose inode, size and time of
change are as they were when it was hashed is taken to be the same. The memory is a file beside the
models; where it cannot be written, files are hashed again. It does not know the catalogue.
"""

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path

_MEMORY = ".verified.json"
_PIECE_BYTES = 1 << 20


def sha256_of(path: Path, seen: Callable[[int], None] = lambda _: None) -> str:
    """The file's SHA-256 in hexadecimal; `seen` hears how many bytes each piece had."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(_PIECE_BYTES):
            digest.update(piece)
            seen(len(piece))
    return digest.hexdigest()


class Digests:
    """SHA-256 of the files below one folder, remembered between runs."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._known = _read(directory / _MEMORY)

    def of(self, path: Path) -> str:
        """The file's SHA-256: remembered, or computed now. Raises OSError."""
        key, state = self._key(path), _state(path)
        known = self._known.get(key)
        if known is not None and known[:-1] == state:
            return str(known[-1])
        return self.learn(path, sha256_of(path))

    def learn(self, path: Path, sha256: str) -> str:
        """Remembers a hash that was just computed, and returns it."""
        # Read again: another process may have learned of other files meanwhile.
        self._known = {**_read(self._directory / _MEMORY), self._key(path): [*_state(path), sha256]}
        self._write()
        return sha256

    def _key(self, path: Path) -> str:
        return str(path.relative_to(self._directory))

    def _write(self) -> None:
        temporary = self._directory / f"{_MEMORY}.{os.getpid()}"
        try:
            temporary.write_text(json.dumps(self._known, indent=1), encoding="utf-8")
            temporary.replace(self._directory / _MEMORY)
        except OSError:
            temporary.unlink(missing_ok=True)


def _state(path: Path) -> list[int | str]:
    found = path.stat()
    return [found.st_ino, found.st_size, found.st_mtime_ns]


def _read(path: Path) -> dict[str, list[int | str]]:
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(known, dict):
        return {}
    return {
        key: value for key, value in known.items() if isinstance(value, list) and len(value) == 4
    }
