"""`voiced voices clone`: what it refuses before anything leaves the site."""

import io
from pathlib import Path

import numpy as np
import pytest
import soundfile

from voiced.cli import cloning
from voiced.cli.main import main

pytestmark = pytest.mark.unit

NOTE = "Kim Jia agreed on 3 May to be the voice of the reception."


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A sample, a note, and settings that allow cloning at an address where nobody is."""
    record(tmp_path / "sample.wav", 6.0)
    (tmp_path / "note.txt").write_text(NOTE)
    (tmp_path / "voiced.toml").write_text('[sonic.cloning]\nurl = "http://127.0.0.1:9"\n')
    return tmp_path


def record(path: Path, seconds: float) -> None:
    sound = (np.sin(np.arange(int(seconds * 16_000)) / 10) * 3000).astype(np.int16)
    with soundfile.SoundFile(path, "w", 16_000, 1, "PCM_16") as recording:
        recording.artist = "a patient's name"
        recording.write(sound)


def clone(site: Path) -> int:
    return main(
        [
            *("voices", "clone", str(site / "sample.wav"), "--name", "Jia", "--lang", "ko"),
            *("--consent", str(site / "note.txt"), "--config", str(site / "voiced.toml")),
        ]
    )


def test_without_the_clouds_address_in_the_settings_it_is_refused(
    site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (site / "voiced.toml").write_text("")

    assert 78 == clone(site)
    said = capsys.readouterr().err
    assert "sonic.cloning.url" in said
    assert "leaves the site" in said


@pytest.mark.parametrize("note", ["", "ok", "   \n"], ids=["empty", "a word", "blank"])
def test_without_a_note_of_consent_it_is_refused(
    site: Path, capsys: pytest.CaptureFixture[str], note: str
) -> None:
    (site / "note.txt").write_text(note)

    assert 78 == clone(site)
    assert "who agreed" in capsys.readouterr().err


def test_without_the_note_it_is_no_command(site: Path) -> None:
    with pytest.raises(SystemExit, match="64"):
        main(["voices", "clone", str(site / "sample.wav"), "--name", "Jia", "--lang", "ko"])


@pytest.mark.parametrize("seconds", [4.0, 21.0], ids=["short", "long"])
def test_a_sample_of_another_length_is_refused(
    site: Path, capsys: pytest.CaptureFixture[str], seconds: float
) -> None:
    record(site / "sample.wav", seconds)

    assert 78 == clone(site)
    assert "5 to 20 s" in capsys.readouterr().err


def test_names_that_a_recording_carries_along_stay_here(site: Path) -> None:
    sent, seconds = cloning._sample(site / "sample.wav")

    assert 6.0 == pytest.approx(seconds, abs=0.01)
    assert b"a patient" in (site / "sample.wav").read_bytes()
    assert b"a patient" not in sent
    assert 24_000 == soundfile.info(io.BytesIO(sent)).samplerate
