"""The daemon as a program, on free ports of the loopback, with the demonstration's models."""

import json
import os
import signal
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
START_S = 120
STOP_S = 30


@dataclass
class Daemon:
    """A running `voiced serve`, and what it wrote to its log."""

    process: subprocess.Popen[str]
    lines: list[dict[str, Any]] = field(default_factory=list)
    raw: list[str] = field(default_factory=list)
    _arrived: threading.Condition = field(default_factory=threading.Condition)

    def __post_init__(self) -> None:
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.wait_for('daemon.ready')['http_port']}"

    @property
    def calls_url(self) -> str:
        return f"{self.url}/v1/realtime/calls"

    def wait_for(self, event: str, seconds: float = START_S) -> dict[str, Any]:
        """The first line of an event; fails with the log when it does not come."""
        with self._arrived:
            self._arrived.wait_for(
                lambda: self._find(event) or not self._reader.is_alive(), seconds
            )
        found = self._find(event)
        assert found is not None, f"no {event} in: {''.join(self.raw)[-2000:]}"
        return found

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Its exit status after a signal."""
        self.process.send_signal(number)
        return self.wait()

    def wait(self, seconds: float = STOP_S) -> int:
        status = self.process.wait(seconds)
        self._reader.join(5)
        return status

    def get(self, path: str) -> tuple[int, str]:
        request = urllib.request.Request(self.url + path)
        try:
            with urllib.request.urlopen(request, timeout=5) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as refused:
            return refused.code, refused.read().decode()

    def _find(self, event: str) -> dict[str, Any] | None:
        return next((line for line in self.lines if line.get("event") == event), None)

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            with self._arrived:
                self.raw.append(line)
                if line.startswith("{"):
                    self.lines.append(json.loads(line))
                self._arrived.notify_all()
        with self._arrived:
            self._arrived.notify_all()


Serve = Callable[..., Daemon]


def settings(more: str = "", tables: str = "") -> str:
    """The demonstration's settings on free ports; `more` goes into [calls].

    Without fillers: on a busy machine one would be taken for the reply.
    """
    return f"""
[http]
port = 0
[rtc]
port = 0
[models]
dir = "~/.cache/voiced/models"
production = false
[calls]
agents_dir = "{ROOT / "docs/examples/agents"}"
{more if "max =" in more else more + chr(10) + "max = 4"}
[turn]
filler_ms = 0
{tables}
"""


@pytest.fixture(scope="module")
def serve(tmp_path_factory: pytest.TempPathFactory, models_dir: Path) -> Iterator[Serve]:
    """Starts daemons, `fake` ones without engines; what still runs at the end is killed."""
    started: list[Daemon] = []

    def start(text: str = "", *, prefix: tuple[str, ...] = (), fake: bool = False) -> Daemon:
        config = tmp_path_factory.mktemp("site") / "voiced.toml"
        config.write_text(text or settings())
        program = ["voiced.testing.standin"] if fake else ["voiced", "serve"]
        command = [*prefix, sys.executable, "-m", *program, "--config", str(config)]
        environment = {k: v for k, v in os.environ.items() if k != "CI"}
        daemon = Daemon(
            subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=ROOT, env=environment)
        )
        started.append(daemon)
        return daemon

    yield start
    for daemon in started:
        if daemon.process.poll() is None:
            daemon.process.kill()
        daemon.process.wait()
        daemon._reader.join(5)
        assert daemon.process.stderr is not None
        daemon.process.stderr.close()


@pytest.fixture(scope="module")
def sonic_url() -> Iterator[str]:
    """Where a Sonic that is a process of its own listens."""
    process = subprocess.Popen(
        [sys.executable, "-m", "voiced.testing.sonic"], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
