"""What systemd's watchdog hears of a daemon that has far more to do than it can.

That what hangs is ended is shown where systemd does it (test_systemd).
"""

import asyncio
import socket
import threading
from pathlib import Path

import pytest

from tests.process.conftest import Serve, settings
from voiced import clock
from voiced.errors import VoicedError
from voiced.testing.caller import Caller
from voiced.testing.exchange import HttpExchange

pytestmark = [pytest.mark.process, pytest.mark.timeout(120)]

ALLOWED_S = 10.0
"""WatchdogSec= of the unit."""
CALLERS = 40


class Unit:
    """Hears what a daemon tells systemd."""

    def __init__(self, path: Path) -> None:
        self.fed_at: list[float] = []
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(path))
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        while told := self._socket.recv(4096):
            if b"WATCHDOG=1" in told:
                self.fed_at.append(clock.now())

    def close(self) -> None:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as own:
            own.sendto(b"", self._socket.getsockname())
        self._thread.join()
        self._socket.close()


async def flood(url: str, seconds: float) -> tuple[int, int]:
    """Callers without a pause, many more than there is room for: how many were taken, refused."""
    taken = refused = 0

    async def one(until: float) -> None:
        nonlocal taken, refused
        while clock.now() < until:
            caller = Caller(url, exchange=HttpExchange(url))
            try:
                await caller.open()
                taken += 1
            except VoicedError:
                refused += 1
            finally:
                await caller.close()

    async with asyncio.TaskGroup() as callers:
        for _ in range(CALLERS):
            callers.create_task(one(clock.now() + seconds))
    return taken, refused


def test_a_flood_of_calls_is_not_mistaken_for_a_hang(serve: Serve, tmp_path: Path) -> None:
    unit = Unit(tmp_path / "notify")
    told = (f"NOTIFY_SOCKET={tmp_path / 'notify'}", f"WATCHDOG_USEC={ALLOWED_S * 1e6:.0f}")
    daemon = serve(settings(), prefix=("env", *told), fake=True)
    daemon.wait_for("daemon.ready")
    taken, refused = asyncio.run(flood(daemon.calls_url, 6.0))
    ended_at = clock.now()
    assert 0 == daemon.stop()
    unit.close()
    fed_at = [at for at in unit.fed_at if at <= ended_at]

    assert taken > 0 < refused
    assert max(b - a for a, b in zip(fed_at, [*fed_at[1:], ended_at], strict=True)) < ALLOWED_S
    assert not [line for line in daemon.lines if line.get("event") == "thread.stuck"]
