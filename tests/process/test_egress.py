"""Nothing leaves the machine: every address that the daemon names to the kernel is loopback's.

The daemon runs in a network namespace without a route, under a trace of the calls that could send,
with CI unset: one library is silent where CI is set.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.process.conftest import ROOT, Serve

pytestmark = [
    pytest.mark.process,
    pytest.mark.timeout(240),
    pytest.mark.skipif(os.geteuid() != 0, reason="a network namespace of our own needs root"),
    pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace (scripts/test)"),
]

_INTERNET = re.compile(r"sa_family=AF_INET6?,.*")
_LOOPBACK = re.compile(r'inet_addr\("127\.|inet_pton\(AF_INET6, "::1"')


def test_nothing_is_sent_to_anything_but_loopback(serve: Serve, tmp_path: Path) -> None:
    """Load, warm-up, a call with an answer, and the stop."""
    trace = tmp_path / "trace"
    isolated = ("unshare", "-n", "sh", "-c", 'ip link set lo up && exec "$@"', "sh")
    traced = ("strace", "-f", "--seccomp-bpf", "-e", "trace=connect,sendto,sendmsg,sendmmsg")
    daemon = serve(prefix=(*isolated, *traced, "-o", str(trace)))
    url = daemon.calls_url
    inside = ["nsenter", "-t", str(daemon.process.pid), "-n", sys.executable, "-m", "voiced"]
    question = sorted((ROOT / "tests/data").glob("question_*.wav"))[0]

    placed = subprocess.run(
        [*inside, "call", url, "--audio", str(question)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert 0 == placed.returncode, placed.stderr
    child = int(Path(f"/proc/{daemon.process.pid}/task/{daemon.process.pid}/children").read_text())
    os.kill(child, 15)
    assert 0 == daemon.wait()
    sent = [line for line in trace.read_text().splitlines() if _INTERNET.search(line)]
    assert sent, "the trace saw not even the call: it proves nothing"
    assert [] == [line for line in sent if not _LOOPBACK.search(line)]
