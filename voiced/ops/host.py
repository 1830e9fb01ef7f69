"""What this machine is, and what this process has of it: memory, ports, libraries, clock.

It does not know what is wanted of them.
"""

import ctypes
import gc
import http.client
import os
import re
import resource
import socket
import ssl
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = (
    "onnxruntime",
    "onnxruntime-gpu",
    "ctranslate2",
    "llama-cpp-python",
    "torch",
    "aiortc",
    "aioice",
)
"""Whose versions an operator is asked for when something is wrong."""

_LIBRARY = re.compile(
    r"/(lib(?:cudart|cublas|cublasLt|cudnn|cuda|ctranslate2|llama|torch_cuda)[^/]*)$"
)
_CUDA_MAJOR = re.compile(r"/lib(?:cudart|cublas|cublasLt)[^/]*\.so\.(\d+)")
_CARD_LIBRARY = re.compile(r"/(lib(?:cudart|cublas|cublasLt|cudnn[a-z_]*))[-.][^/]*$")
_UNSYNCHRONISED = 5
"""What adjtimex(2) returns then."""


def shut_dumps() -> None:
    """From now on nothing of this process's memory is written down, however it dies.

    A limit alone does not bind a handler that the kernel pipes dumps to; a process that is not
    dumpable is left out by both, and no other program of its account may look into it.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def settle() -> None:
    """What is in memory by now is there to stay: no collection of garbage looks at it again.

    One that looked at all that is loaded would hold every thread up for a tenth of a second.
    """
    gc.collect()
    gc.freeze()


_libc = ctypes.CDLL(None)
_PR_SET_DUMPABLE = 4


def free_mb() -> int:
    """Memory that can be had without swapping, as the kernel estimates it; 10^6 bytes."""
    for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
        name, _, value = line.partition(":")
        if name == "MemAvailable":
            return int(value.split()[0]) * 1024 // 1_000_000
    return 0


def used_mb() -> int:
    """Memory that this process holds, 10^6 bytes."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() // 1_000_000


def free_disk_mb(path: Path) -> int:
    """What anybody may still write there, or where it will be made; 10^6 bytes."""
    there = next(folder for folder in (path, *path.absolute().parents) if folder.exists())
    found = os.statvfs(there)
    return found.f_bavail * found.f_frsize // 1_000_000


def versions() -> dict[str, str]:
    """The packages that are installed."""
    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def libraries(maps: str | None = None) -> tuple[str, ...]:
    """Paths of the engines' and the card's libraries that this process has really loaded."""
    text = Path("/proc/self/maps").read_text(encoding="utf-8") if maps is None else maps
    return tuple(sorted({line.split()[-1] for line in text.splitlines() if _LIBRARY.search(line)}))


def cuda_majors(paths: tuple[str, ...]) -> set[int]:
    """More than one in a process ends badly."""
    found = (_CUDA_MAJOR.search(path) for path in paths)
    return {int(one.group(1)) for one in found if one is not None}


def clashes(found: Mapping[str, str], paths: tuple[str, ...]) -> list[str]:
    """What among the packages and the loaded libraries must not be there together."""
    wrong = []
    if {"onnxruntime", "onnxruntime-gpu"} <= set(found):
        wrong.append(
            "onnxruntime and onnxruntime-gpu are both installed, in one folder: remove both, then "
            "install requirements/gpu.txt, whole"
        )
    if len(majors := cuda_majors(paths)) > 1:
        numbers = " and ".join(map(str, sorted(majors)))
        wrong.append(f"CUDA {numbers} in one process: install one lock file, whole")
    if len(twice := _twice(paths)) > 0:
        wrong.append(
            f"two copies of {', '.join(twice)} are loaded: unset LD_LIBRARY_PATH, and install one "
            "lock file, whole"
        )
    return wrong


def _twice(paths: tuple[str, ...]) -> list[str]:
    """Libraries of the card that are loaded from two files."""
    names = [_CARD_LIBRARY.search(path) for path in paths]
    stems = [found.group(1) for found in names if found is not None]
    return sorted({stem for stem in stems if stems.count(stem) > 1})


def clock_is_set() -> bool:
    """The kernel's clock follows a time server."""
    return bool(ctypes.CDLL(None).adjtimex(ctypes.create_string_buffer(1024)) != _UNSYNCHRONISED)


def answers_as_voiced(host: str, port: int, *, secure: bool) -> bool:
    """Whether a daemon of ours listens there; `secure`: by HTTPS, with whichever certificate."""
    asked = http.client.HTTPConnection(host, port, timeout=2.0)
    if secure:
        anybody = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        anybody.check_hostname, anybody.verify_mode = False, ssl.CERT_NONE
        asked = http.client.HTTPSConnection(host, port, timeout=2.0, context=anybody)
    try:
        asked.request("GET", "/healthz")
        return asked.getresponse().getheader("Server") == "voiced"
    except (OSError, http.client.HTTPException):
        return False
    finally:
        asked.close()


def is_free(host: str, port: int, kind: socket.SocketKind) -> bool:
    """Whether an address could be listened on now. Raises OSError when it is not this machine's."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, kind) as tried:
        if kind is socket.SOCK_STREAM:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind((host, port))
        except OSError as error:
            if error.errno not in (13, 98):  # no right to that port, or taken
                raise
            return False
    return True


def account() -> str:
    """Whose command this is: the account, and the one that somebody logged in with, if another."""
    uid, login = os.getuid(), _login_uid()
    return f"uid:{uid}" if login in (None, uid) else f"uid:{uid}/login:{login}"


def _login_uid() -> int | None:
    """The account of the login, which sudo does not change."""
    try:
        login = int(Path("/proc/self/loginuid").read_text())
    except (OSError, ValueError):
        return None
    return None if login == _NO_LOGIN else login


_NO_LOGIN = 2**32 - 1
