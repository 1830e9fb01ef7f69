"""Voices of a site from outside: a language of the last resort, and words of its own."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import soundfile

from tests.process.conftest import ROOT, Daemon, Serve, settings
from voiced.audio.loudness import integrated_lufs

pytestmark = [pytest.mark.process, pytest.mark.timeout(240)]

AGENT = """
name = "desk"
languages = ["ko"]
prompt = "병원 접수처입니다."
[lines.ko]
greeting = "안녕하세요, 병원 접수처입니다. 무엇을 도와드릴까요?"
fallback = "죄송합니다, 다시 말씀해 주세요."
goodbye = "안녕히 계세요."
[voices]
ko = "{voice}"
"""


def site(folder: Path, voice: str, tables: str = "") -> str:
    """Settings with one agent of this voice."""
    (folder / "agents").mkdir()
    (folder / "agents/desk.toml").write_text(AGENT.format(voice=voice), encoding="utf-8")
    return settings(tables=tables).replace(str(ROOT / "docs/examples/agents"), f"{folder}/agents")


def refused(daemon: Daemon) -> str:
    """What a daemon says that does not start."""
    assert 78 == daemon.wait(60)
    return "".join(daemon.raw)


def test_a_korean_caller_is_greeted_and_answered_where_only_espeak_speaks_korean(
    serve: Serve, tmp_path: Path
) -> None:
    """The agent has named it; no model of the catalogue speaks Korean."""
    daemon = serve(site(tmp_path, "espeak-ng/f2"))
    daemon.wait_for("daemon.ready")
    record = tmp_path / "heard.wav"
    command = [sys.executable, "-m", "voiced", "call", daemon.calls_url, "--json"]
    command += ["--audio", str(ROOT / "tests/data/question_parking.wav"), "--record", str(record)]

    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)

    assert 0 == daemon.stop()
    assert 0 == done.returncode, done.stderr
    (turn,) = json.loads(done.stdout)["turns"]
    assert turn["voice_to_voice_ms"] > 0
    sound, hz = soundfile.read(str(record), dtype="int16")
    assert -28 < integrated_lufs(sound, hz) < -18


def test_no_language_gets_the_last_resort_by_itself(serve: Serve, tmp_path: Path) -> None:
    said = refused(serve(site(tmp_path, "piper-en-us-joe")))

    assert "voices.ko = 'piper-en-us-joe': it speaks en: choose a voice for 'ko'" in said


def test_a_mistake_in_the_lexicon_stops_the_start_with_file_line_and_word(
    serve: Serve, tmp_path: Path
) -> None:
    (tmp_path / "words").mkdir()
    (tmp_path / "words/drugs.toml").write_text('[en]\nXarelto = "zuh-REL-toe"\nUS = 5\n')

    said = refused(serve(site(tmp_path, "espeak-ng", f'[tts]\nlexicon_dir = "{tmp_path}/words"\n')))

    assert f"{tmp_path}/words/drugs.toml:3: 'US': write how it is said" in said
