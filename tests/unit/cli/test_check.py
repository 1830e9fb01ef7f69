"""`voiced check`: the exit code and the object that other programs read."""

import json
from pathlib import Path

import pytest

from voiced.cli.main import main

pytestmark = pytest.mark.unit


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voiced.ops.log.to", lambda *_: None)


def test_what_is_wrong_is_one_object_and_exit_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "voiced.toml"
    config.write_text("[http]\nprot = 1\n")
    code = main(["check", "--config", str(config), "--json"])
    report = json.loads(capsys.readouterr().out)

    assert 1 == code
    assert {"ok", "checks", "plan", "egress"} == set(report)
    assert {"name", "ok", "detail", "fix"} == set(report["checks"][0])
    assert (False, False, {}, []) == (
        report["ok"],
        report["checks"][0]["ok"],
        report["plan"],
        report["egress"],
    )


def test_people_see_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "voiced.toml"
    config.write_text("[http]\nprot = 1\n")
    main(["check", "--config", str(config)])

    shown = capsys.readouterr().out
    assert "FAILED" in shown
    assert "'port'" in shown


def test_people_see_whom_the_configuration_reaches_and_what_goes_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    agents = tmp_path / "agents.d"
    agents.mkdir()
    reception = Path(__file__).resolve().parents[3] / "docs/examples/agents/reception.toml"
    (agents / "reception.toml").write_text(reception.read_text())
    config = tmp_path / "voiced.toml"
    config.write_text(
        '[http]\nport = 0\n[rtc]\nport = 0\n[models]\ndir = "nothing"\nproduction = false\n'
        '[calls]\nagents_dir = "agents.d"\n[llm.remote]\nurl = "http://gpu.lan:8000"\n'
    )
    main(["check", "--config", str(config)])

    shown = capsys.readouterr().out
    assert "gpu.lan:8000  llm.remote.url: the language model" in shown
    assert "the text of each whole conversation" in shown
