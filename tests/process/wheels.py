"""Wheels made again of what is installed, so that a test needs no package index.

Each holds what its package's RECORD lists; scripts and compiled files are left out, since an
installer makes them anew. It does not know what the wheels are for.
"""

import base64
import csv
import hashlib
import re
import zipfile
from importlib.metadata import Distribution, distribution
from pathlib import Path, PurePosixPath

_LEFT_OUT = {"RECORD", "INSTALLER", "REQUESTED", "direct_url.json"}


def locked(lock: Path) -> list[str]:
    """The packages that a lock names for this machine."""
    names = re.findall(r"(?m)^([A-Za-z0-9_.-]+)==\S+(.*)$", lock.read_text())
    return [name for name, more in names if "win32" not in more and "darwin" not in more]


def repack(package: str, folder: Path) -> Path:
    """The wheel of an installed package."""
    found = distribution(package)
    files = [(name, path) for name, path in _files(found) if path.name not in _LEFT_OUT]
    info = next(PurePosixPath(name).parts[0] for name, _ in files if ".dist-info/" in name)
    tags = re.findall(r"(?m)^Tag: (\S+)", found.read_text("WHEEL") or "")
    wheel = folder / f"{info.removesuffix('.dist-info')}-{_tag(tags)}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_STORED) as packed:
        record = []
        for name, path in files:
            data = path.read_bytes()
            packed.writestr(zipfile.ZipInfo(name), data)  # a plain date: the same bytes each time
            record.append((name, f"sha256={_digest(data)}", len(data)))
        rows = [*record, (f"{info}/RECORD", "", "")]
        text = "".join(",".join(map(_quoted, row)) + "\n" for row in rows)
        packed.writestr(zipfile.ZipInfo(f"{info}/RECORD"), text)
    return wheel


def _files(found: Distribution) -> list[tuple[str, Path]]:
    rows = csv.reader((found.read_text("RECORD") or "").splitlines())
    names = [row[0] for row in rows]
    kept = [n for n in names if not n.startswith(("..", "/")) and "__pycache__/" not in n]
    return [(name, Path(str(found.locate_file(name)))) for name in kept]


def _tag(tags: list[str]) -> str:
    """One for all: `cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64`."""
    parts = [tag.split("-") for tag in tags]
    return "-".join(".".join(dict.fromkeys(column)) for column in zip(*parts, strict=True))


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def _quoted(cell: object) -> str:
    text = str(cell)
    return f'"{text}"' if "," in text else text
