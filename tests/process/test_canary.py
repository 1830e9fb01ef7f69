"""What was said is nowhere but in the call: every stage real, every log of every library open.

A caller speaks, and a program writes a word that nobody else would. Then the daemon is looked
through: log at DEBUG, metrics, health, audit, files, names of files and of shared memory, command
lines; and at last it is killed with the signal that leaves a core dump and a dump of all stacks.
"""

import asyncio
import contextlib
import json
import os
import re
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.process.conftest import ROOT, Daemon
from voiced.testing.caller import Caller

pytestmark = [pytest.mark.process, pytest.mark.timeout(300)]

QUESTION = ROOT / "tests/data/question_visiting_hours.wav"
CANARY = "zyxomycin"
TALKATIVE = """
import faulthandler, logging, resource, sys
from pathlib import Path
from voiced.daemon import daemon
from voiced.ops import log

def to(stream, level=logging.INFO, to=log.to):
    to(stream, logging.DEBUG)
    logging.getLogger().setLevel(logging.DEBUG)

log.to = to
faulthandler.enable()
resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY,) * 2)
daemon.run(Path(sys.argv[1]))
"""
"""A daemon whose libraries say all that they can, and which the system would let dump."""


@dataclass
class Site:
    place: Path
    daemon: Daemon
    said: set[str]
    """Words that only the caller and the agent can know."""

    @property
    def log(self) -> str:
        return "".join(self.daemon.raw)

    def known(self, text: str) -> set[str]:
        """Which of the words are in a text."""
        return self.said & set(re.findall(r"[a-z']+", text.lower()))


async def _talk(url: str) -> str:
    """What is said in a call: one spoken question, and a written one."""
    caller = Caller(url)
    await caller.open()
    await caller.until_quiet(600)
    said = await caller.say(QUESTION)
    await caller.until_onset(said.last_voiced_at, 30)
    await caller.until_quiet(1500)
    content = [{"type": "input_text", "text": f"Where do I get {CANARY}, please?"}]
    item = {"type": "message", "role": "user", "content": content}
    caller.send({"type": "conversation.item.create", "item": item})
    caller.send({"type": "response.create"})
    caller.send({"type": CANARY, "event_id": CANARY})
    await asyncio.sleep(4.0)
    events = [json.dumps(event.body) for event in caller.events]
    await caller.close()
    return " ".join(events)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, models_dir: Path) -> Iterator[Site]:
    place = tmp_path_factory.mktemp("canary")
    (place / "key").write_text("k" * 32)
    config = place / "voiced.toml"
    config.write_text(
        f'[http]\nport = 0\n[rtc]\nport = 0\n[models]\ndir = "{models_dir}"\nproduction = false\n'
        f'[calls]\nagents_dir = "{ROOT / "docs/examples/agents"}"\nmax = 4\n'
        '[audit]\ndir = "audit"\nkey_file = "key"\n'
    )
    process = subprocess.Popen(
        [sys.executable, "-X", "dev", "-c", TALKATIVE, str(config)],
        stderr=subprocess.PIPE,
        text=True,
        cwd=place,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(place)},
    )
    daemon = Daemon(process)
    try:
        events = asyncio.run(_talk(daemon.calls_url))
        assert CANARY in events, "the word came not even back to its caller: it proves nothing"
        spoken = re.findall(r'"(?:transcript|delta)": "([^"]*)"', events)
        words = {word for text in spoken for word in re.findall(r"[a-z']+", text.lower())}
        ours = ("README.md", "docs/glossary.md", "voiced/ops/metrics.py")
        text = " ".join((ROOT / page).read_text() for page in ours)
        usual = set(re.findall(r"[a-z]+", text.lower()))
        yield Site(place, daemon, {word for word in words - usual if len(word) > 4} | {CANARY})
    finally:
        process.kill()
        process.wait()
        daemon._reader.join(5)
        assert process.stderr is not None
        process.stderr.close()


def test_the_log_tells_much_and_no_word(site: Site) -> None:
    libraries = {line.get("library") for line in site.daemon.lines}

    assert {"asyncio", "aioice.ice"} & libraries, "no library spoke: it proves nothing"
    assert set() == site.known(site.log)


def test_metrics_health_and_audit_have_no_word(site: Site) -> None:
    pages = [site.daemon.get(path)[1] for path in ("/metrics", "/readyz", "/healthz")]
    audit = [path.read_text() for path in (site.place / "audit").iterdir()]

    assert "voiced_turns_total" in pages[0]
    assert "call.opened" in "".join(audit)
    assert set() == site.known(" ".join([*pages, *audit]))


def test_no_file_no_name_and_no_command_line_has_a_word(site: Site) -> None:
    """Also the names of shared memory, and what is handed to the phoneme program."""
    pid = site.daemon.process.pid
    threads = Path(f"/proc/{pid}/task").iterdir()
    children = [one for path in threads for one in (path / "children").read_text().split()]
    commands = [Path(f"/proc/{one}/cmdline").read_bytes().decode() for one in (pid, *children)]
    opened = list(_opened(Path(f"/proc/{pid}/fd")))
    maps = Path(f"/proc/{pid}/maps").read_text()
    names = [str(path) for path in site.place.rglob("*")] + os.listdir("/dev/shm")
    written = [path.read_bytes().decode("utf-8", "replace") for path in _files(site.place)]

    assert any("espeak-ng" in command for command in commands)
    assert set() == site.known(" ".join([*commands, *opened, maps, *names, *written]))


def test_a_crash_leaves_stacks_and_neither_a_word_nor_a_core(site: Site) -> None:
    """The system would have let it: the daemon itself has given that up."""
    assert (0, 0) == resource.prlimit(site.daemon.process.pid, resource.RLIMIT_CORE)

    assert -signal.SIGABRT == site.daemon.stop(signal.SIGABRT)
    assert "Fatal Python error: Aborted" in site.log
    assert set() == site.known(site.log)
    assert [] == [path for path in site.place.iterdir() if path.name.startswith("core")]


def _opened(folder: Path) -> Iterator[str]:
    for path in folder.iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed since
            yield os.readlink(path)


def _files(place: Path) -> list[Path]:
    return [path for path in place.rglob("*") if path.is_file()]
