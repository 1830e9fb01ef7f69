"""The environment: what the process is told by it, and what it tells the libraries.

The only module that touches `os.environ`.
"""

import os
from pathlib import Path

_QUIET = {
    # onnxruntime >= 1.29 reports to its maker unless told not to before it is imported.
    "ORT_DISABLE_TELEMETRY": "1",
    # No look-up at a model hub: every file comes from the catalogue.
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "TRANSFORMERS_OFFLINE": "1",
    # What some ask for that have no switch of their own.
    "DO_NOT_TRACK": "1",
    # GNU OpenMP's threads sleep between batches instead of spinning on the caller's cores.
    "OMP_WAIT_POLICY": "PASSIVE",
    # But a sleep at each of a model's hundreds of barriers a step costs more than the step: so they
    # spin for a few microseconds first. It makes a step of the language model twice as fast.
    "GOMP_SPINCOUNT": "1000",
}


def silence_libraries() -> None:
    """Switches off every library's own network use, before any of them is imported."""
    os.environ.update(_QUIET)


def notify_socket() -> str | None:
    """Where systemd wants to be told that the daemon is ready; none outside a unit."""
    return os.environ.get("NOTIFY_SOCKET")


def watchdog_s() -> float | None:
    """Seconds within which the unit's watchdog wants to be fed; none: it has none."""
    allowed, process = os.environ.get("WATCHDOG_USEC"), os.environ.get("WATCHDOG_PID")
    if not allowed or process not in (None, str(os.getpid())):
        return None
    return int(allowed) / 1_000_000


def visible_cards() -> str | None:
    """Which cards CUDA may use; none: all of them."""
    return os.environ.get("CUDA_VISIBLE_DEVICES")


def in_journal(fd: int) -> bool:
    """Whether a descriptor leads to the journal, and not to a file, a pipe or a terminal."""
    device, _, inode = os.environ.get("JOURNAL_STREAM", "").partition(":")
    found = os.fstat(fd)
    return (device, inode) == (str(found.st_dev), str(found.st_ino))


def runtime_dir() -> Path | None:
    """The unit's own directory below /run; none outside a unit."""
    directory = os.environ.get("RUNTIME_DIRECTORY", "").partition(":")[0]
    return Path(directory) if directory else None


def credentials_dir() -> Path | None:
    """Where systemd put the unit's credentials; none outside a unit."""
    directory = os.environ.get("CREDENTIALS_DIRECTORY")
    return Path(directory) if directory else None
