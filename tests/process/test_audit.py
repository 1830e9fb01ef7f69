"""The audit of a daemon that runs: what is in it after a call, a reload, a stop and a kill."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.process.conftest import ROOT, Serve, settings

pytestmark = [pytest.mark.process, pytest.mark.timeout(240)]

QUESTION = ROOT / "tests/data/question_visiting_hours.wav"
SECRET = "a-token-of-enough-length"


class Site:
    """A site that keeps an audit."""

    def __init__(self, place: Path) -> None:
        (place / "key").write_bytes(os.urandom(32).hex().encode())
        (place / "token").write_text(SECRET + "\n")
        self.audit = f'[audit]\ndir = "{place / "audit"}"\nkey_file = "{place / "key"}"\n'
        self.settings = settings(tables=self.audit).replace(
            "[http]", f'[http]\ntoken_file = "{place / "token"}"', 1
        )
        self.config = place / "audit.toml"
        self.config.write_text(self.audit)

    def ask(self, *words: str, code: int = 0) -> str:
        """What `voiced audit` prints."""
        command = [sys.executable, "-m", "voiced", "audit", words[0], "--config", str(self.config)]
        done = subprocess.run(
            [*command, *words[1:]], capture_output=True, text=True, timeout=60, check=False
        )
        assert code == done.returncode, done.stdout + done.stderr
        return done.stdout

    def records(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.ask("export").splitlines()]


def call(url: str) -> str:
    """Its report, with everything that was said."""
    command = [sys.executable, "-m", "voiced", "call", url, "--audio", str(QUESTION), "--json"]
    done = subprocess.run(
        [*command, "--token", SECRET], capture_output=True, text=True, timeout=120, check=False
    )
    assert 0 == done.returncode, done.stderr
    return done.stdout


def test_a_daemons_life_is_in_its_audit_and_no_word_is(serve: Serve, tmp_path: Path) -> None:
    site = Site(tmp_path)
    daemon = serve(site.settings)
    report = json.loads(call(daemon.calls_url))
    closed = daemon.wait_for("call.closed")
    daemon.process.send_signal(signal.SIGHUP)
    daemon.wait_for("reload.done")
    assert 0 == daemon.stop()

    records = site.records()
    events = [one["event"] for one in records]
    assert ["daemon.started", "config.in_force"] == events[:2]
    assert "daemon.stopped" == events[-1]
    assert {"model.in_force", "call.opened", "call.ended"} <= set(events)
    opened = next(one for one in records if one["event"] == "call.opened")
    assert (closed["call"], "reception", "127.0.0.1", "key:token") == tuple(
        opened[key] for key in ("call", "agent", "origin", "key")
    )
    assert "signal" == [one for one in records if one["event"] == "config.in_force"][-1]["actor"]
    said = " ".join(turn["heard"] + " " + turn["reply"] for turn in report["turns"]).lower()
    telling = {word.strip(".,?!") for word in said.split() if len(word) > 4}
    kept = "".join(path.read_text() for path in (tmp_path / "audit").iterdir()).lower()
    assert telling
    assert [] == [word for word in telling if word in kept]


def test_a_killed_daemon_leaves_an_audit_that_goes_on(serve: Serve, tmp_path: Path) -> None:
    """Killed at any instant; the journal's heads are in the chain, and the next daemon goes on."""
    site = Site(tmp_path)
    first = serve(site.settings)
    first.wait_for("audit.head")
    first.stop(signal.SIGKILL)
    second = serve(site.settings)
    second.wait_for("daemon.ready")
    assert 0 == second.stop()

    seen = tmp_path / "log"
    seen.write_text("".join([*first.raw, *second.raw]))
    found = json.loads(site.ask("verify", "--witness", str(seen), "--json"))
    assert (True, None) == (found["ok"], found["fault"])
    assert found["witnessed"] >= 2
    assert 2 == [one["event"] for one in site.records()].count("daemon.started")


def test_a_daemon_without_a_key_keeps_no_audit_and_says_so(serve: Serve) -> None:
    daemon = serve()

    assert "audit.key_file" == daemon.wait_for("audit.off")["missing"]
    daemon.wait_for("engine.loaded")
    assert 0 == daemon.stop()
