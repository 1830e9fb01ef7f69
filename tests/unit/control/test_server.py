"""The control socket's file."""

import asyncio
import socket
import stat
from pathlib import Path

import pytest

from voiced.control.server import Server
from voiced.errors import UnavailableError

pytestmark = pytest.mark.unit


def mode_of(path: Path) -> int:
    """The file's mode while the server listens."""

    modes = []

    async def script() -> None:
        server = await Server.open(path, [])
        modes.append(_mode(path))
        await server.close()

    asyncio.run(script())
    return modes[0]


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_only_owner_and_group_may_ask(tmp_path: Path) -> None:
    assert 0o660 == mode_of(tmp_path / "control.sock")


def test_the_socket_of_a_daemon_that_was_killed_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "control.sock"

    with socket.socket(socket.AF_UNIX) as killed:
        killed.bind(str(path))

    assert 0o660 == mode_of(path)


def test_a_place_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match=r"nowhere/control\.sock: No such file"):
        mode_of(tmp_path / "nowhere/control.sock")
