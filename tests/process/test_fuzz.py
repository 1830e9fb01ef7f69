"""Twenty seconds of input that nobody meant, against a daemon on fake models."""

import subprocess

import pytest

from tests.process.conftest import ROOT

pytestmark = [pytest.mark.process, pytest.mark.timeout(180)]


def test_a_fuzzed_daemon_neither_crashes_nor_keeps_a_line() -> None:
    command = [str(ROOT / "scripts/fuzz"), str(20 / 60), "7"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=150, check=False)

    assert 0 == done.returncode, done.stdout + done.stderr[-3000:]
    assert "datagram" in done.stdout
    assert " event" in done.stdout
