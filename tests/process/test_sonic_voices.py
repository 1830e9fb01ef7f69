"""`voiced voices` against a Sonic that is a process of its own."""

import json
from pathlib import Path

import numpy as np
import pytest
import soundfile

from tests.process.conftest import ROOT
from voiced.audio.pcm import SPEAKING_HZ
from voiced.cli.main import main
from voiced.testing.sonic_socket import LEVEL

pytestmark = [pytest.mark.process, pytest.mark.timeout(60)]


@pytest.fixture
def config(sonic_url: str, tmp_path: Path) -> Path:
    path = tmp_path / "voiced.toml"
    path.write_text(
        f'[models]\ndir = "{tmp_path}"\n'
        f'[sonic]\nurl = "{sonic_url}"\n[sonic.cloning]\nurl = "{sonic_url}"\n'
        '[[sonic.voices]]\nname = "jia"\nid = "v"\nlanguage = "ko"\n'
    )
    return path


def test_what_sonic_has_is_listed_over_all_pages(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 0 == main(["voices", "list", "--sonic", "--json", "--config", str(config)])

    offered = json.loads(capsys.readouterr().out)["sonic"]
    assert [("Jia", "ko"), ("Ada", "en")] == [(one["name"], one["language"]) for one in offered]


def test_an_audition_is_a_sentence_in_the_voices_own_language(
    config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "jia.wav"
    words = ["voices", "audition", "jia", "--out", str(out), "--json", "--config", str(config)]
    assert 0 == main(words)

    shown = json.loads(capsys.readouterr().out)
    sound, hz = soundfile.read(out, dtype="int16")
    assert ("jia", "ko", SPEAKING_HZ) == (shown["voice"], shown["language"], hz)
    assert len(sound) / hz == pytest.approx(shown["seconds"], abs=0.001)
    assert LEVEL == pytest.approx(np.abs(sound).max(), rel=0.01)


def test_a_voice_is_cloned_where_the_site_allows_it(
    config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sample, note = tmp_path / "sample.wav", tmp_path / "note.txt"
    soundfile.write(sample, np.zeros(6 * 16_000, np.int16), 16_000)
    note.write_text("Kim Jia agreed on 3 May to be the voice of the reception.")
    words = ["voices", "clone", str(sample), "--name", "Jia", "--lang", "ko"]
    assert 0 == main([*words, "--consent", str(note), "--config", str(config)])

    shown = capsys.readouterr()
    assert "leaves this site, to 127.0.0.1" in shown.err
    assert 'id = "11111111-aaaa-4bbb-8ccc-000000000099"' in shown.out


def test_a_cloud_that_is_not_there_is_told(
    config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config.write_text('[sonic.cloning]\nurl = "http://127.0.0.1:9"\n')
    test = [*("--consent", str(ROOT / "README.md")), "--config", str(config)]
    sample = tmp_path / "sample.wav"
    soundfile.write(sample, np.zeros(6 * 16_000, np.int16), 16_000)

    assert 69 == main(["voices", "clone", str(sample), "--name", "J", "--lang", "ko", *test])
    assert "nobody answers" in capsys.readouterr().err
