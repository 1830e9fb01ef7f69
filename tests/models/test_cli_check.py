"""`voiced check` with real models: everything is loaded, and each stage does its work once."""

import json
from pathlib import Path

import pytest

from voiced.cli.main import main

pytestmark = [pytest.mark.models, pytest.mark.timeout(120)]

AGENTS = Path(__file__).resolve().parents[2] / "docs/examples/agents"


def test_a_site_that_can_serve_is_found_in_order(
    models_dir: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("voiced.ops.log.to", lambda *_: None)
    config = tmp_path / "voiced.toml"
    config.write_text(
        f'[http]\nport = 0\n[rtc]\nport = 0\n[models]\ndir = "{models_dir}"\nproduction = false\n'
        f'[calls]\nagents_dir = "{AGENTS}"\n'
    )
    code = main(["check", "--config", str(config), "--json"])
    report = json.loads(capsys.readouterr().out)

    assert 0 == code, report
    names = [check["name"] for check in report["checks"]]
    assert {"weights", "memory", "engines", "libraries", "tts", "stt", "llm"} <= set(names)
    assert "libctranslate2" in next(
        c["detail"] for c in report["checks"] if c["name"] == "libraries"
    )
    assert sum(report["plan"]["parts_mb"].values()) < report["plan"]["needed_mb"]
    assert [] == report["egress"]
