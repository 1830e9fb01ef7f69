"""Asks the running daemon, over its control socket, and waits for the answer.

It does not know what is asked.
"""

import http.client
import json
import socket
from pathlib import Path
from typing import Any

from voiced.errors import UnavailableError, VoicedError

DEFAULT = Path("/run/voiced/control.sock")
"""Where the daemon has it under its unit."""

TIMEOUT_S = 10.0


class Denied(VoicedError):
    """The daemon has understood, and does not do it; says why."""


def ask(path: Path, method: str, target: str, wait_s: float = 0.0) -> dict[str, Any]:
    """The daemon's answer; it may take `wait_s` longer than usual.

    Raises UnavailableError where there is no daemon or no right to ask, and Denied.
    """
    connection = _Connection(path, TIMEOUT_S + wait_s)
    try:
        connection.request(method, target)
        answer = connection.getresponse()
        body = json.loads(answer.read())
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise UnavailableError(_unreachable(path, error)) from None
    finally:
        connection.close()
    if answer.status != 200:
        raise Denied(str(body.get("detail", answer.reason)))
    return dict(body)


def _unreachable(path: Path, error: Exception) -> str:
    match error:
        case PermissionError():
            return f"{path}: permission denied: be root, or a member of the group voiced"
        case FileNotFoundError() | ConnectionRefusedError():
            return f"{path}: no daemon listens there: systemctl status voiced"
        case _:
            return f"{path}: the daemon did not answer ({type(error).__name__})"


class _Connection(http.client.HTTPConnection):
    """HTTP over a UNIX socket."""

    def __init__(self, path: Path, timeout_s: float) -> None:
        super().__init__("voiced", timeout=timeout_s)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))
