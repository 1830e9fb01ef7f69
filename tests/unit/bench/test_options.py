"""What a benchmark is told."""

from pathlib import Path

import pytest

from voiced.bench.options import BenchOptions
from voiced.config.settings import Settings
from voiced.errors import UnavailableError

pytestmark = pytest.mark.unit


def test_recorded_speech_is_a_folder_with_a_manifest(tmp_path: Path) -> None:
    (tmp_path / "manifest.tsv").touch()

    assert tmp_path == BenchOptions(settings=Settings(), speech=tmp_path).speech_dir()


def test_a_folder_without_one_is_said_to_be_no_recorded_speech(tmp_path: Path) -> None:
    options = BenchOptions(settings=Settings(), speech=tmp_path)

    with pytest.raises(UnavailableError, match=r"no recorded speech there.*--speech DIR"):
        options.speech_dir()
