"""The card's libraries, loaded before any engine asks for them: those of the lock, and no others.

An engine that opens `libcublas.so.12` by name is then given the copy that is there already,
whatever LD_LIBRARY_PATH says; two copies would abort at the first caller. It does not know the
engines.
"""

import ctypes
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any

from voiced.errors import UnavailableError

ORDER = (
    "libcudart.so.12",
    "libnvrtc.so.12",
    "libcublasLt.so.12",
    "libcublas.so.12",
    "libcurand.so.10",
    "libcufft.so.11",
    "libcudnn.so.9",
)
"""Each after what it needs itself."""


def preload(root: Path | None = None, load: Callable[[str], Any] = ctypes.CDLL) -> list[Path]:
    """Loads them from the `nvidia` packages below `root`. Raises UnavailableError."""
    folder = (root or Path(sysconfig.get_path("purelib"))) / "nvidia"
    found = [next(iter(sorted(folder.glob(f"*/lib/{name}"))), None) for name in ORDER]
    missing = [name for name, path in zip(ORDER, found, strict=True) if path is None]
    if missing:
        raise UnavailableError(
            f"the card: {', '.join(missing)}: not below {folder}: install requirements/gpu.txt, "
            "whole, or write device = 'cpu'"
        )
    paths = [path for path in found if path is not None]
    for path in paths:
        try:
            load(str(path))
        except OSError:
            raise UnavailableError(
                f"the card: {path} cannot be loaded: is the driver installed, and the lock whole?"
            ) from None
    return paths
