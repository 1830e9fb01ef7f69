"""Nothing leaves the machine: every address that the daemon names to the kernel is loopback's.

The daemon runs in a network namespace without a route, under a trace of the calls that could send,
beside a name server that writes down who is asked for, with CI unset: one library is silent where
CI is set.
"""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.process.conftest import ROOT, Daemon, Serve, settings

pytestmark = [
    pytest.mark.process,
    pytest.mark.timeout(400),
    pytest.mark.skipif(os.geteuid() != 0, reason="a network namespace of our own needs root"),
    pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace (scripts/test)"),
]

QUESTION = ROOT / "tests/data/question_parking.wav"
CONTROL = "somebody.example"
_INTERNET = re.compile(r"sa_family=AF_INET6?,.*")
_LOOPBACK = re.compile(r'inet_addr\("127\.|inet_pton\(AF_INET6, "::1"')
_ALONE = """mount --make-rprivate / && mount --bind "$1" /etc/resolv.conf &&
ip link set lo up && shift && exec "$@" """
_POST = """
import sys, urllib.error, urllib.request
try:
    urllib.request.urlopen(urllib.request.Request(sys.argv[1], data=b"rubbish", method="POST",
        headers={"Content-Type": "application/sdp"}))
except urllib.error.HTTPError as refused:
    print(refused.code)
"""


@dataclass
class Island:
    """A network of its own: loopback, and a name server that writes down who is asked for."""

    pid: int
    names: Path
    trace: Path

    @property
    def inside(self) -> tuple[str, ...]:
        return ("nsenter", "-t", str(self.pid), "-n", "-m", f"--wd={ROOT}")

    @property
    def traced(self) -> tuple[str, ...]:
        calls = "trace=connect,sendto,sendmsg,sendmmsg"
        return (*self.inside, "strace", "-f", "--seccomp-bpf", "-e", calls, "-o", str(self.trace))

    def run(self, *words: str) -> str:
        """What a program on the island prints."""
        done = subprocess.run(
            [*self.inside, sys.executable, *words],
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )
        assert 0 == done.returncode, done.stderr
        return done.stdout.strip()

    def sent(self) -> list[str]:
        """Every call that names an address of the internet's protocols."""
        return [line for line in self.trace.read_text().splitlines() if _INTERNET.search(line)]

    def asked(self) -> list[str]:
        """Names that were asked for."""
        return self.names.read_text().split()


@pytest.fixture
def island(tmp_path: Path) -> Iterator[Island]:
    resolver = tmp_path / "resolv.conf"
    resolver.write_text("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n")
    names = tmp_path / "names"
    server = [sys.executable, str(ROOT / "tests/process/name_server.py"), str(names)]
    alone = ["unshare", "-n", "-m", "sh", "-ec", _ALONE, "sh", str(resolver)]
    process = subprocess.Popen([*alone, *server])
    try:
        for _ in range(200):
            if names.exists():
                break
            time.sleep(0.05)
        assert names.exists(), "the name server did not begin"
        yield Island(process.pid, names, tmp_path / "trace")
    finally:
        process.kill()
        process.wait()


def stop(daemon: Daemon) -> int:
    """Its exit status after SIGTERM; the tracer stands before it."""
    tracer = daemon.process.pid
    child = int(Path(f"/proc/{tracer}/task/{tracer}/children").read_text())
    os.kill(child, 15)
    return daemon.wait()


def test_nothing_is_sent_to_anything_but_loopback(serve: Serve, island: Island) -> None:
    """Load, warm-up, a call with an answer, refusals, a caller that is killed, and the stop."""
    lost = "[rtc]\nsilent_deadline_ms = 3000"
    patience = settings("resume_ms = 1000").replace("[rtc]", lost)
    daemon = serve(patience, prefix=island.traced)
    url = daemon.calls_url
    place = ("-m", "voiced", "call", url, "--audio", str(QUESTION))

    island.run(*place)
    assert "400" == island.run("-c", _POST, url)
    assert "404" == island.run("-c", _POST, f"{url}?agent=nobody")
    killed = subprocess.Popen([*island.inside, sys.executable, *place], stdout=subprocess.DEVNULL)
    time.sleep(3.0)
    killed.kill()
    killed.wait()
    assert 0 == stop(daemon)

    assert island.sent(), "the trace saw not even the call: it proves nothing"
    assert [] == [line for line in island.sent() if not _LOOPBACK.search(line)]
    assert [] == island.asked()
    island.run("-c", f"import socket\ntry: socket.getaddrinfo('{CONTROL}', 1)\nexcept OSError: 0")
    assert {CONTROL} == set(island.asked()), "the name server heard nothing: it proves nothing"


def test_nor_where_it_cannot_start(serve: Serve, island: Island, tmp_path: Path) -> None:
    """No weights here: nobody is asked for them."""
    empty = settings().replace("~/.cache/voiced/models", str(tmp_path / "nothing"))
    daemon = serve(empty, prefix=island.traced)

    assert 69 == daemon.wait(60)
    assert [] == [line for line in island.sent() if not _LOOPBACK.search(line)]
    assert [] == island.asked()
