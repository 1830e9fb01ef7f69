"""`voiced bench tts --voice sonic` against a server that is a process of its own."""

import json
from pathlib import Path

import pytest

from voiced.cli.main import main

pytestmark = [pytest.mark.process, pytest.mark.timeout(60)]


@pytest.fixture
def config(sonic_url: str, tmp_path: Path) -> Path:
    path = tmp_path / "voiced.toml"
    path.write_text(
        f'[sonic]\nurl = "{sonic_url}"\n'
        '[[sonic.voices]]\nname = "ada"\nid = "a"\nlanguage = "en"\n'
        '[[sonic.voices]]\nname = "jia"\nid = "j"\nlanguage = "ko"\n'
    )
    return path


def test_the_first_sound_is_held_against_the_vendors(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["bench", "tts", "--voice", "sonic", "--lang", "ko", "--calls", "3", "--rounds", "2"]
    assert 0 == main([*words, "--json", "--config", str(config)])

    shown = json.loads(capsys.readouterr().out)
    assert ("jia", "ko", 0) == (shown["voice"], shown["language"], shown["underruns"])
    assert (2, 6) == (shown["ttfb"]["count"], shown["ttfb_at_once"]["count"])
    assert shown["ttfb_ratio"] == pytest.approx(shown["ttfb"]["p50"] / 90.0, abs=0.001)


@pytest.mark.parametrize(
    ("lines", "code"),
    [("", 78), ('[sonic]\nurl = "http://127.0.0.1:9"\n', 78)],
    ids=["off", "mute"],
)
def test_without_a_voice_of_sonics_it_says_what_to_write(
    lines: str, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "voiced.toml"
    path.write_text(lines)

    assert code == main(["bench", "tts", "--voice", "sonic", "--config", str(path)])
    assert "[[sonic.voices]]" in capsys.readouterr().err
