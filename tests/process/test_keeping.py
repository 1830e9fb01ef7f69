"""Kept calls from outside: a caller who agrees, one who does not, and a daemon that is killed."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from tests.process.conftest import ROOT, Daemon, Serve, settings
from voiced.vault.keys import read_site_keys
from voiced.vault.showing import opened_call
from voiced.vault.vault import Vault

pytestmark = [pytest.mark.process, pytest.mark.timeout(300)]

QUESTION = ROOT / "tests/data/question_parking.wav"


class Ward:
    """A daemon whose agent keeps calls, its folder, and recordings of an answer."""

    def __init__(self, folder: Path, serve: Serve) -> None:
        self.folder = folder
        (folder / "agents").mkdir()
        agent = (ROOT / "docs/examples/agents/reception.toml").read_text()
        lines = 'disclosure = "A machine speaks."\nconsent = "May we record this call?"\n'
        agent = agent.replace("[lines.en]\n", f"[lines.en]\n{lines}")
        agent += "\n[vault]\ntranscripts = true\nrecordings = true\n"
        (folder / "agents/reception.toml").write_text(agent)
        (folder / "key").write_text("QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUE=\n")
        self.config = folder / "voiced.toml"
        text = settings(tables=f'[vault]\ndir = "{folder}/v"\nkey_file = "{folder}/key"')
        text = text.replace(str(ROOT / "docs/examples/agents"), str(folder / "agents"))
        self.config.write_text(text)
        self.daemon: Daemon = serve(text)
        self.daemon.wait_for("daemon.ready")

    def says(self, text: str) -> Path:
        path = self.folder / f"{text.split(',')[0]}.wav"
        subprocess.run(["espeak-ng", "-v", "en-us", "-w", str(path), text], check=True)
        return path

    def command(self, *files: Path) -> list[str]:
        audio = [word for file in files for word in ("--audio", str(file))]
        return [sys.executable, "-m", "voiced", "call", self.daemon.calls_url, "--json", *audio]

    def call(self, *files: Path) -> dict[str, Any]:
        return read(self.command(*files))

    def operator(self, *words: str) -> dict[str, Any]:
        where = ("--json", "--config", str(self.config))
        return read([sys.executable, "-m", "voiced", "calls", *words, *where])

    def closed(self, count: int) -> list[str]:
        """What became of each call, once so many have ended."""
        return [line["result"] for line in self.until("vault.closed", count)]

    def going_on_with_two_turns(self) -> list[Any]:
        calls = self.operator("list")["calls"]
        return [x for x in calls if x["ending"] is None and x["turn_count"] >= 2]

    def until(self, event: str, count: int) -> list[dict[str, Any]]:
        return self.wait(lambda: [x for x in self.daemon.lines if x.get("event") == event], count)

    def wait(self, look: Callable[[], list[Any]], count: int) -> list[Any]:
        for _ in range(600):
            if len(found := look()) >= count:
                return found
            asyncio.run(asyncio.sleep(0.1))
        pytest.fail("it did not happen within a minute")


def read(command: list[str]) -> dict[str, Any]:
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert 0 == done.returncode, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def ward(serve: Serve, tmp_path_factory: pytest.TempPathFactory) -> Ward:
    return Ward(tmp_path_factory.mktemp("ward"), serve)


def test_a_caller_who_refuses_is_answered_and_nothing_is_kept(ward: Ward) -> None:
    heard = ward.call(ward.says("No, thank you."), QUESTION)["turns"]

    assert any(turn["reply"] for turn in heard)
    assert ["refused"] == ward.closed(1)
    assert [] == ward.operator("list")["calls"]
    assert ["probe"] == [path.name for path in (ward.folder / "v/keys").iterdir()]


def test_a_caller_who_agrees_is_kept_and_the_call_can_be_read_heard_and_erased(ward: Ward) -> None:
    heard = ward.call(ward.says("Yes, please."), QUESTION)["turns"]
    assert ["refused", "kept"] == ward.closed(2)

    [call] = ward.operator("list")["calls"]
    turns = ward.operator("show", call["id"])["turns"]
    assert [turn["heard"] for turn in heard] == [turn["caller"] for turn in turns]
    assert [turn["reply"] for turn in heard] == [turn["agent"] for turn in turns]

    out = ward.folder / "out"
    _, recording = ward.operator("export", call["id"], "--out", str(out))["files"]
    sound, _rate = soundfile.read(recording)
    assert (np.max(np.abs(sound), axis=0) > 0.05).all(), "both sides are heard"

    ward.operator("erase", call["id"])
    assert ward.operator("list")["calls"][0]["erased_at"]
    assert [] == list((ward.folder / "v/calls").iterdir())


def test_a_daemon_that_is_killed_in_a_call_has_kept_all_turns_before(ward: Ward) -> None:
    command = ward.command(ward.says("Yes, please."), QUESTION, QUESTION)
    caller = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        ward.wait(ward.going_on_with_two_turns, 1)
        ward.daemon.process.kill()
        ward.daemon.process.wait()
    finally:
        caller.kill()
        caller.wait()

    with closing(Vault(ward.folder / "v", lambda: 0)) as vault:
        assert 1 == vault.recover()
        [row] = [row for row in vault.index.rows() if row.erased_at is None]
        shown = opened_call(vault, row.id, read_site_keys(ward.folder / "key"))
    assert ("crashed", None) == (row.ending, shown.damage)
    assert len(shown.turns) >= 2
    assert shown.sound
