"""Packages of the npm registry: fetched whole, and one member read out of each.

Where the `npm` program is there it fetches them, so that the site's own registry, proxy and
certificates are used, and runs no script of theirs; else they come from the public registry over
HTTPS. It does not know whether the bytes are right: `pull` hashes them.
"""

import shutil
import subprocess
import tarfile
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

from voiced.catalog.model import NpmSource
from voiced.errors import Damaged, UnavailableError

Advance = Callable[[float], None]
"""Hears which share of a file's bytes has been fetched, 0.0 to 1.0."""

REGISTRY = "https://registry.REGISTRY"

_PIECE_BYTES = 1 << 20
_DEADLINE_S = 30.0
"""Without a byte."""


class Tarballs:
    """The packages of one pull, each fetched once, in a folder that its owner removes."""

    def __init__(self, directory: Path, *, program: str = "npm", registry: str = REGISTRY) -> None:
        self._directory = directory
        self._program = program
        self._registry = registry
        self._fetched: dict[tuple[str, str], Path] = {}

    def get(self, source: NpmSource, advance: Advance) -> Path:
        """The package that holds the member. Raises UnavailableError."""
        key = (source.package, source.version)
        if key not in self._fetched:
            folder = self._directory / f"npm-{len(self._fetched)}"
            folder.mkdir()
            npm = shutil.which(self._program)
            if npm is not None:
                self._fetched[key] = _packed(npm, source, folder)
            else:
                self._fetched[key] = _downloaded(self._registry, source, folder, advance)
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


def _packed(npm: str, source: NpmSource, folder: Path) -> Path:
    wanted = f"{source.package}@{source.version}"
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


def _downloaded(registry: str, source: NpmSource, folder: Path, advance: Advance) -> Path:
    base = source.package.rpartition("/")[2]
    url = f"{registry}/{source.package}/-/{base}-{source.version}.tgz"
    path = folder / "package.tgz"
    try:
        with (
            urllib.request.urlopen(url, timeout=_DEADLINE_S) as answer,
            path.open("wb") as output,
        ):
            total = int(answer.headers.get("Content-Length") or 0)
            done = 0
            while piece := answer.read(_PIECE_BYTES):
                output.write(piece)
                done += len(piece)
                advance(done / max(total, done))
    except OSError as error:
        reason = getattr(error, "reason", error)
        raise UnavailableError(
            f"{url}: cannot be fetched ({reason}): is this machine on the network? With npm "
            "installed and set up, the site's own registry is asked"
        ) from None
    return path
