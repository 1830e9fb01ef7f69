"""The wrapped keys of calls, each in a small file of its own.

A key in a database passes through its journal and its free pages, where nobody can overwrite it; a
file is overwritten in place and removed. It does not know what a key opens.
"""

import secrets
from collections.abc import Iterator
from pathlib import Path

from voiced.errors import UnavailableError
from voiced.vault import files
from voiced.vault.keys import KEY_BYTES, SiteKeys, wrapped_by

PROBE = "probe"
"""A key of no call: it tells whether somebody has the site key, where there is no call yet."""


class Keyring:
    """The folder of keys. One thread at a time; more processes may, each with other calls."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def make(self, call: str, site: SiteKeys) -> bytes:
        """A new key for a call, on the disk when this returns. Raises FileExistsError."""
        if self.holds(call):
            raise FileExistsError(f"vault: call {call} has a key already")
        key = secrets.token_bytes(KEY_BYTES)
        files.put(self._folder / call, site.wrap(call, key))
        return key

    def open(self, call: str, site: SiteKeys) -> bytes:
        """A call's key. Raises UnavailableError (erased, or wrapped by another) or Damaged."""
        return site.unwrap(call, self._wrapped(call))

    def holds(self, call: str) -> bool:
        return (self._folder / call).is_file()

    def destroy(self, call: str) -> None:
        """From now on nobody can read what the key opened."""
        with files.alone(self._folder):
            files.destroy(self._folder / f"{call}{files.UNFINISHED}")
            files.destroy(self._folder / call)

    def rewrap(self, site: SiteKeys) -> int:
        """Every key under the present site key; how many were not. It may be interrupted."""
        return sum(self._rewrapped(call, site) for call in self)

    def tidy(self) -> None:
        """Removes what a crash left half written: it never opened anything."""
        with files.alone(self._folder):
            for path in self._folder.glob(f"*{files.UNFINISHED}"):
                files.destroy(path)

    def __iter__(self) -> Iterator[str]:
        """The names of all keys."""
        names = [path.name for path in self._folder.iterdir()]
        yield from sorted(name for name in names if not name.endswith(files.UNFINISHED))

    def _rewrapped(self, call: str, site: SiteKeys) -> bool:
        """One that is erased meanwhile does not come back."""
        with files.alone(self._folder):
            if not self.holds(call):
                return False
            wrapped = self._wrapped(call)
            if wrapped_by(wrapped) == site.present.name:
                return False
            files.put(self._folder / call, site.wrap(call, site.unwrap(call, wrapped)))
            return True

    def _wrapped(self, call: str) -> bytes:
        try:
            return (self._folder / call).read_bytes()
        except FileNotFoundError:
            raise UnavailableError(
                f"vault: there is no key of call {call}: if it was not erased, restore a backup"
            ) from None
