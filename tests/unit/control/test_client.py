"""Asking a daemon that is not there, or does not answer as one."""

import socket
import threading
from pathlib import Path

import pytest

from voiced.control.client import ask
from voiced.errors import UnavailableError

pytestmark = pytest.mark.unit


def test_without_a_daemon_it_says_where_to_look(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match=r"no daemon listens there: systemctl status voiced"):
        ask(tmp_path / "control.sock", "GET", "/status")


def test_a_daemon_that_dies_while_it_is_asked_has_not_answered(tmp_path: Path) -> None:
    path = tmp_path / "control.sock"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as daemon:
        daemon.bind(str(path))
        daemon.listen()

        def dies() -> None:
            caller, _ = daemon.accept()
            caller.recv(1000)
            caller.close()

        dying = threading.Thread(target=dies)
        dying.start()
        with pytest.raises(UnavailableError, match="did not answer"):
            ask(path, "GET", "/status")
        dying.join()
