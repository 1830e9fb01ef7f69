"""`voiced init` from outside: what it writes is what `voiced check` accepts."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.process


def voiced(*words: str, told: str = "") -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "voiced", *words],
        input=told,
        capture_output=True,
        text=True,
        timeout=20,
    )


def test_every_default_makes_a_configuration_that_only_wants_its_models(tmp_path: Path) -> None:
    made = voiced("init", "--yes", "--dir", str(tmp_path / "site"))
    checked = voiced("check", "--quick", "--json", "--config", str(tmp_path / "site/voiced.toml"))
    wrong = [one for one in json.loads(checked.stdout)["checks"] if not one["ok"]]

    assert 0 == made.returncode, made.stderr
    assert [] == [one["name"] for one in wrong if one["name"] != "weights"], wrong
    assert 0o600 == (tmp_path / "site/secrets/audit-key").stat().st_mode & 0o777


def test_a_site_that_others_reach_gets_a_certificate_and_a_first_key(tmp_path: Path) -> None:
    told = "no\ndemo-cpu\n127.0.0.2\n\nWard 3\nen\n5 5 5\n"
    made = voiced("init", "--dir", str(tmp_path), told=told)
    checked = voiced("check", "--quick", "--json", "--config", str(tmp_path / "voiced.toml"))
    wrong = [one for one in json.loads(checked.stdout)["checks"] if not one["ok"]]

    assert "the first key, shown once: " in made.stdout
    assert [] == [one["name"] for one in wrong if one["name"] != "weights"], wrong
    assert 'greeting = "Ward 3.' in (tmp_path / "agents.d/reception.toml").read_text()


def test_nothing_that_is_there_is_touched(tmp_path: Path) -> None:
    (tmp_path / "voiced.toml").write_text("mine")
    made = voiced("init", "--yes", "--dir", str(tmp_path))

    assert (78, "mine") == (made.returncode, (tmp_path / "voiced.toml").read_text())


def test_an_answer_that_will_not_do_is_named(tmp_path: Path) -> None:
    made = voiced("init", "--dir", str(tmp_path), told="no\nhuge\n")

    assert 78 == made.returncode
    assert "'huge' will not do" in made.stderr
    assert [] == list(tmp_path.iterdir())
