"""What is read of a voice's JSON file, and what is refused."""

import json
from pathlib import Path

import pytest

from voiced.errors import UnavailableError
from voiced.tts.traits import read

pytestmark = pytest.mark.unit

FILE: dict[str, object] = {
    "audio": {"sample_rate": 22050, "quality": "medium"},
    "espeak": {"voice": "en-us"},
    "inference": {"noise_scale": 0.667, "length_scale": 1, "noise_w": 0.8},
    "phoneme_id_map": {"_": [0], "^": [1], "$": [2], " ": [3]},
    "num_speakers": 1,
    "language": {"code": "en_US"},
}


def write(directory: Path, **changes: object) -> Path:
    (directory / "voice.onnx.json").write_text(json.dumps({**FILE, **changes}), encoding="utf-8")
    return directory


def test_the_parts_that_matter_are_read_and_others_passed_over(tmp_path: Path) -> None:
    traits = read(write(tmp_path))

    assert (22050, "en-us", 0.8) == (
        traits.audio.sample_rate,
        traits.espeak.voice,
        traits.inference.noise_w,
    )


@pytest.mark.parametrize(
    "changes",
    [
        {"audio": {"sample_rate": "loud"}},
        {"audio": {"sample_rate": 0}},
        {"inference": {}},
        {"espeak": {"voice": ""}},
        {"phoneme_id_map": {"_": [0], "^": [1], "$": [2]}},
    ],
    ids=["rate", "no-rate", "manner", "language", "space"],
)
def test_a_file_that_lacks_something_is_refused(tmp_path: Path, changes: dict[str, object]) -> None:
    with pytest.raises(UnavailableError, match=r"voice\.onnx\.json"):
        read(write(tmp_path, **changes))


def test_no_file_or_two_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match="0 files"):
        read(tmp_path)


def test_a_file_that_is_no_json_is_refused(tmp_path: Path) -> None:
    (tmp_path / "voice.onnx.json").write_bytes(b"\xff\x00{")
    with pytest.raises(UnavailableError, match="not the JSON file"):
        read(tmp_path)
