"""Over a minute of chaos on fake models; `scripts/soak MINUTES` goes on for longer."""

import subprocess

import pytest

from tests.process.conftest import ROOT

pytestmark = [pytest.mark.process, pytest.mark.timeout(300)]


def test_a_daemon_that_everything_befalls_breaks_no_promise() -> None:
    command = [str(ROOT / "scripts/soak"), "1.2", "7"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)

    assert 0 == done.returncode, done.stdout + done.stderr[-3000:]
    assert 9 == done.stdout.count("holds ")
    assert (ROOT / "bench/out/soak.html").read_text().startswith("<!doctype html>")
