"""Tells systemd how the daemon is, and takes the socket that systemd opened for it.

    loading ──> READY ──> alive, alive, alive ──> stopping ──> still_stopping
    a stage      │          the watchdog               more time for a drain
    at a time    └── RELOADING, READY

Silent outside a unit. It does not know who decides that the daemon is alive (`watchdog`).
"""

import socket

from systemd import daemon
from voiced.clock import now

LOADING_S = 900
"""A stage that loads for longer hangs: the largest weights are hashed and read in less."""

STOPPING_S = 30
"""A drain that says nothing for so long is over."""


def loading(sentence: str) -> None:
    """A stage of the start begins; the next one is told within LOADING_S."""
    daemon.notify(f"STATUS={sentence}\nEXTEND_TIMEOUT_USEC={LOADING_S * 1_000_000}")


def ready() -> None:
    """Every stage is warm and the ports are open."""
    daemon.notify("READY=1")


def status(sentence: str) -> None:
    """What `systemctl status` shows. Never holds anything of a call."""
    daemon.notify(f"STATUS={sentence}")


def reloading() -> None:
    """The files are read again; `ready` ends it."""
    daemon.notify(f"RELOADING=1\nMONOTONIC_USEC={int(now() * 1_000_000)}")


def alive() -> None:
    """Everything moves; said more often than WatchdogSec asks for."""
    daemon.notify("WATCHDOG=1")


def stopping() -> None:
    """No new calls; the present ones end."""
    daemon.notify(f"STOPPING=1\nEXTEND_TIMEOUT_USEC={STOPPING_S * 1_000_000}")


def still_stopping() -> None:
    """The present calls go on, and everything moves."""
    daemon.notify(f"EXTEND_TIMEOUT_USEC={STOPPING_S * 1_000_000}")


def given_socket() -> socket.socket | None:
    """The listening socket of voiced.socket; none where the daemon has to open its own.

    Asked once: children must not take it for theirs.
    """
    given = daemon.listen_fds_with_names()
    return socket.socket(fileno=next(iter(given))) if given else None
