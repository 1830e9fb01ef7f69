"""`voiced calibrate` with the demonstration's recogniser, from recordings to the catalogue."""

import json
import re
import shutil
from pathlib import Path

import pytest

from voiced.catalog.reader import read_catalog
from voiced.cli.main import main
from voiced.config.reader import read_settings

pytestmark = [pytest.mark.models, pytest.mark.timeout(120)]

ROOT = Path(__file__).parents[2]
QUESTION = ROOT / "tests/data/question_pharmacy.wav"
SAID = "How do I get to the pharmacy?"


@pytest.fixture
def speech(tmp_path: Path) -> Path:
    folder = tmp_path / "speech"
    folder.mkdir()
    rows = ["file\tlanguage\ttranscript\ttranscript_source\tspeaker"]
    for number in range(3):
        shutil.copy(QUESTION, folder / f"{number}.wav")
        rows.append(f"{number}.wav\ten\t{SAID}\tchecked\tseen")
    (folder / "manifest.tsv").write_text("\n".join(rows) + "\n")
    return folder


@pytest.fixture
def config(models_dir: Path, tmp_path: Path) -> Path:
    """A site whose own catalogue has the recogniser, by a name of its own and uncalibrated."""
    shipped = (ROOT / "models/catalog.toml").read_text()
    (ears,) = re.findall(
        r'^\[\[models\]\]\nname = "whisper-base"\n.*?(?=^\[\[models\]\])', shipped, re.M | re.S
    )
    ears = re.sub(r"^(en|ko) = .*\n", "", ears, flags=re.M).replace("whisper-base", "ward-ears", 1)
    (tmp_path / "catalog.toml").write_text(ears)
    folder = tmp_path / "models"
    folder.mkdir()
    (folder / "ward-ears").symlink_to(models_dir / "whisper-base")
    path = tmp_path / "voiced.toml"
    path.write_text(
        f'[models]\ndir = "{folder}"\nproduction = false\ncatalog = "{tmp_path}/catalog.toml"\n'
    )
    return path


def calibrate(config: Path, speech: Path, *more: str) -> int:
    given = ["--lang", "en", "--model", "ward-ears", "--speech", str(speech)]
    return main(["calibrate", *given, "--config", str(config), *more])


def test_a_recogniser_of_the_sites_own_is_given_the_windows_that_it_reads_well(
    config: Path, speech: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 0 == calibrate(config, speech, "--json")

    told = json.loads(capsys.readouterr().out)
    facts = read_catalog(read_settings(config).models).model("ward-ears").facts
    assert ["ward-ears", {"en": told["window_s"]}] == [told["model"], facts["window_s"]]
    assert {"en": told["tokens_per_s"]} == facts["tokens_per_s"]
    assert [30] == told["window_s"][1:], "a short question tells of no second window"
    assert 3 == told["windows"][0]["recordings"]


def test_a_dry_run_says_it_and_writes_nothing(
    config: Path, speech: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (config.parent / "catalog.toml").read_text()

    assert 0 == calibrate(config, speech, "--dry-run")
    assert before == (config.parent / "catalog.toml").read_text()
    assert "ward-ears, en: window_s = [" in capsys.readouterr().out


def test_a_folder_without_recordings_is_told_from_one_that_is_not_there(
    config: Path, speech: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 69 == calibrate(config, speech.parent / "none")
    assert "manifest.tsv is missing" in capsys.readouterr().err
    assert 69 == main(
        ["calibrate", "--lang", "ko", "--speech", str(speech), "--config", str(config)]
    )
    assert "language 'ko'" in capsys.readouterr().err
