"""`voiced transcribe`, from the command line to the JSON."""

import json
from pathlib import Path

import numpy as np
import pytest
import soundfile

from voiced.cli.main import main

pytestmark = pytest.mark.models

DATA = Path(__file__).parents[1] / "data"


@pytest.fixture
def config(models_dir: Path, tmp_path: Path) -> Path:
    path = tmp_path / "voiced.toml"
    path.write_text(
        f'[models]\ndir = "{models_dir}"\nproduction = false\n[turn]\nendpoint_delay_ms = 310\n'
    )
    return path


def transcribe(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, list[object]]:
    assert 0 == main(["transcribe", *map(str, arguments), "--json"])
    found: dict[str, list[object]] = json.loads(capsys.readouterr().out)
    return found


def test_a_question_is_one_turn_with_its_place(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = transcribe(capsys, DATA / "question_pharmacy.wav", "--config", config)

    (turn,) = found["turns"]
    assert isinstance(turn, dict)
    assert "How do I get to the pharmacy?" == turn["text"]
    assert (310, "en") == (turn["endpoint_delay_ms"], turn["lang"])
    assert 0 <= turn["start_ms"] < 300
    assert 1500 < turn["end_ms"] <= 2400
    assert [] == found["rejected"]


def test_two_questions_with_a_pause_between_are_two_turns(
    config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, hz = soundfile.read(DATA / "question_pharmacy.wav", dtype="int16")
    second, _ = soundfile.read(DATA / "question_parking.wav", dtype="int16")
    path = tmp_path / "both.wav"
    soundfile.write(path, np.concatenate([first, np.zeros(hz, np.int16), second]), hz)

    texts = [turn["text"] for turn in transcribe(capsys, path, "--config", config)["turns"]]  # type: ignore[index]

    assert ["How do I get to the pharmacy?", "Where can I park my car?"] == texts


def test_silence_has_no_turns(
    config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    soundfile.write(tmp_path / "silence.wav", np.zeros(48000, np.int16), 16000)

    found = transcribe(capsys, tmp_path / "silence.wav", "--config", config)

    assert {"turns": [], "rejected": []} == found


def test_a_language_that_the_model_does_not_have_exits_69(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    question = str(DATA / "question_parking.wav")

    assert 69 == main(["transcribe", question, "--lang", "xx", "--config", str(config)])
    assert "en" in capsys.readouterr().err


def test_a_missing_file_exits_69(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert 69 == main(["transcribe", "nothing.wav", "--config", str(config)])
    assert "nothing.wav" in capsys.readouterr().err
