"""`voiced voices list`: every voice that an agent may name, and nothing is asked of anybody."""

import json
from pathlib import Path

import pytest

from voiced.cli.main import main

pytestmark = pytest.mark.unit

SONIC = """
[sonic]
url = "http://127.0.0.1:9"
[[sonic.voices]]
name = "jia"
id = "v"
language = "ko"
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "voiced.toml"
    path.write_text(f'[models]\ndir = "{tmp_path}"\n{SONIC}')
    return path


def listed(
    capsys: pytest.CaptureFixture[str], config: Path, *more: str
) -> dict[str, dict[str, object]]:
    assert 0 == main(["voices", "list", "--json", "--config", str(config), *more])
    shown = json.loads(capsys.readouterr().out)
    assert [] == shown["sonic"]
    return {row["name"]: row for row in shown["voices"]}


def test_local_voices_and_sonics_stand_in_one_list(
    capsys: pytest.CaptureFixture[str], config: Path
) -> None:
    rows = listed(capsys, config)

    assert {
        "name": "jia",
        "languages": ["ko"],
        "engine": "sonic",
        "production": True,
        "state": "remote",
    } == rows["jia"]
    assert ("piper", "missing") == (
        rows["piper-en-us-joe"]["engine"],
        rows["piper-en-us-joe"]["state"],
    )


def test_a_language_has_its_own_voices_only(
    capsys: pytest.CaptureFixture[str], config: Path
) -> None:
    assert {"jia"} == set(listed(capsys, config, "--lang", "ko"))
    assert {"jia"} & set(listed(capsys, config, "--lang", "en")) == set()


def test_people_read_a_line_for_each(capsys: pytest.CaptureFixture[str], config: Path) -> None:
    assert 0 == main(["voices", "list", "--config", str(config)])

    lines = capsys.readouterr().out.splitlines()
    assert any(line.split()[:4] == ["ko", "jia", "sonic", "remote"] for line in lines)
    assert any("tests and demonstrations only" in line for line in lines)


def test_asking_sonic_needs_its_address(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "voiced.toml"
    path.write_text(f'[models]\ndir = "{tmp_path}"\n')

    assert 78 == main(["voices", "list", "--sonic", "--config", str(path)])
    assert "sonic.url" in capsys.readouterr().err
