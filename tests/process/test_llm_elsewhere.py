"""A daemon whose language model is another machine's, and callers who outlive that machine."""

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.process.conftest import ROOT, Daemon, Serve, settings

pytestmark = [pytest.mark.process, pytest.mark.timeout(240)]

QUESTION = ROOT / "tests/data/question_visiting_hours.wav"


@pytest.fixture
def fake() -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    """A server that is a process of its own; its address, and what to kill."""
    command = [sys.executable, "-m", "voiced.testing.chat"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip(), process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def reply(daemon: Daemon) -> str:
    """What the agent says to one question."""
    command = [sys.executable, "-m", "voiced", "call", daemon.calls_url, "--json"]
    done = subprocess.run(
        [*command, "--audio", str(QUESTION)], capture_output=True, text=True, check=False
    )
    assert 0 == done.returncode, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return str(report["turns"][0]["reply"])


def test_the_daemon_thinks_there_and_falls_back_when_it_is_gone(
    serve: Serve, fake: tuple[str, "subprocess.Popen[str]"]
) -> None:
    url, process = fake
    daemon = serve(settings(tables=f'[llm.remote]\nurl = "{url}"\n'))
    daemon.wait_for("daemon.ready")

    assert reply(daemon).startswith("You can visit every day")
    process.kill()
    process.wait()
    assert reply(daemon).startswith("I am sorry")
    assert 0 == daemon.stop()
