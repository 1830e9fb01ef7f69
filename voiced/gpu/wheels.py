"""Which CUDA a set of wheels would load into one process: one major, and one onnxruntime.

Told by what the wheels require (`nvidia-cublas-cu12`), and by the names of the card's libraries in
their binaries (`libcublas.so.12`), since some are opened by name when the first call comes. It does
not know what is installed (`ops.host`).
"""

import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO

_REQUIRED = re.compile(r"^Requires-Dist: *nvidia-[a-z0-9-]+-cu(\d+)\b", re.MULTILINE)
_NAMED = re.compile(rb"lib(?:cudart|cublas|cublasLt)\.so\.(\d+)\b")
_LOCKED = re.compile(r"^(?:nvidia-[a-z0-9-]+-cu(\d+)|(onnxruntime(?:-gpu)?))==", re.MULTILINE)
_PIECE_BYTES = 1 << 20
_LONGEST = 64
"""No name that is looked for is longer: so much of a piece is kept for the next."""


def majors(wheel: Path) -> set[int]:
    """Of CUDA, that a wheel asks for or opens."""
    found: set[int] = set()
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.endswith(".dist-info/METADATA"):
                text = archive.read(name).decode("utf-8", "replace")
                found |= {int(number) for number in _REQUIRED.findall(text)}
            elif ".so" in name.rpartition("/")[2]:
                with archive.open(name) as binary:
                    found |= named(binary)
    return found


def named(binary: IO[bytes]) -> set[int]:
    """Majors of the card's libraries whose names are in a binary."""
    found: set[int] = set()
    kept = b""
    while piece := binary.read(_PIECE_BYTES):
        found |= {int(number) for number in _NAMED.findall(kept + piece)}
        kept = piece[-_LONGEST:]
    return found


def clashes(wheels: Iterable[Path]) -> list[str]:
    """What must not be in one wheelhouse, each with the names."""
    by_name = {wheel.name.partition("-")[0].lower(): majors(wheel) for wheel in wheels}
    runtimes = [name for name in ("onnxruntime", "onnxruntime_gpu") if name in by_name]
    return [*_two_majors(by_name), *([_both(runtimes)] if len(runtimes) > 1 else [])]


def lock_clashes(lock: str) -> list[str]:
    """The same of a lock's text, by its names alone."""
    by_name: dict[str, set[int]] = {}
    runtimes = []
    for found in _LOCKED.finditer(lock):
        if found.group(2):
            runtimes.append(found.group(2))
        else:
            by_name[found.group(0)] = {int(found.group(1))}
    return [*_two_majors(by_name), *([_both(runtimes)] if len(set(runtimes)) > 1 else [])]


def _two_majors(by_name: Mapping[str, set[int]]) -> Iterator[str]:
    all_ = sorted(set().union(*by_name.values()))
    if len(all_) > 1:
        whose = "; ".join(
            f"CUDA {major}: {', '.join(sorted(n for n, own in by_name.items() if major in own))}"
            for major in all_
        )
        yield f"two CUDA majors would be loaded into one process: {whose}"


def _both(runtimes: Iterable[str]) -> str:
    return f"{' and '.join(sorted(set(runtimes)))} lie in one folder: only one may be there"
