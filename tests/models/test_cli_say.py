"""`voiced say` with a real voice: the sound that it writes lasts as long as the words need."""

import json
from pathlib import Path

import pytest
import soundfile

from voiced.audio.pcm import SPEAKING_HZ
from voiced.cli.main import main

pytestmark = pytest.mark.models


def test_what_is_said_is_written_as_sound(
    models_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """ "8:00" alone would be a second; spoken as words with its sentence it is longer."""
    settings = tmp_path / "voiced.toml"
    settings.write_text(f'[models]\ndir = "{models_dir}"\nproduction = false\n', encoding="utf-8")
    out = tmp_path / "said.wav"

    code = main(
        ["say", "Take 5 mg at 8:00. 😊", "--config", str(settings), "--out", str(out), "--json"]
    )

    shown = json.loads(capsys.readouterr().out)
    info = soundfile.info(str(out))
    assert 0 == code
    assert ["Take five milligrams at eight o'clock."] == [c["spoken"] for c in shown["clauses"]]
    assert (SPEAKING_HZ, 1) == (info.samplerate, info.channels)
    assert info.frames / SPEAKING_HZ == pytest.approx(shown["seconds"], abs=0.001)
    assert 1.2 < shown["seconds"] < 6.0


def test_a_language_without_a_voice_is_not_available(
    models_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = tmp_path / "voiced.toml"
    settings.write_text(f'[models]\ndir = "{models_dir}"\nproduction = false\n', encoding="utf-8")

    assert 69 == main(["say", "네.", "--lang", "ko", "--config", str(settings)])
    assert "--explain" in capsys.readouterr().err
