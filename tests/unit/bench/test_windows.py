"""What is read of a recording in each window, by a recogniser of straw."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
import soundfile

from voiced.audio.pcm import HEARING_HZ, Pcm
from voiced.bench.stt import Clip
from voiced.bench.windows import clips_of, measured
from voiced.errors import UnavailableError
from voiced.stt.calibration import Reading
from voiced.stt.decoding import Decoded
from voiced.stt.windows import FULL_S

pytestmark = pytest.mark.unit

SAID = "Blue boats sail home."


class Reads:
    """So many letters less in a short window; astray in one of them."""

    def __init__(self, missing: int, astray: int) -> None:
        self._missing, self._astray = missing, astray

    def decode(self, pcm: Pcm, window_s: int, prompt: object, limit: int) -> Decoded:
        text = SAID if window_s == FULL_S else SAID[: -1 - self._missing]
        return Decoded((1, 2, 3), text, -1.0, 0.1, cut=window_s == self._astray)


def read(seconds: float, missing: int = 0, astray: int = 0) -> Any:
    pcm = np.zeros(int(seconds * HEARING_HZ), np.int16)
    straw = cast(Any, Reads(missing, astray))
    vocabulary = cast(Any, SimpleNamespace(prompt=lambda language, hotwords: [0]))
    return next(measured(straw, vocabulary, [Clip(pcm, SAID, "one")], "en"))


def test_a_recording_is_read_in_every_window_that_holds_it() -> None:
    found = read(12.5, missing=2)

    assert (12.5, 17, 3) == (found.seconds, found.letters, found.tokens)
    assert [14, 16, 18, 20, 24, FULL_S] == sorted(found.by_window)
    assert Reading(2, astray=False) == found.by_window[14]
    assert Reading(0, astray=False) == found.by_window[FULL_S]


def test_what_went_astray_counts_as_it_is_read_again() -> None:
    assert Reading(0, astray=True) == read(3.0, missing=2, astray=8).by_window[8]


def test_no_window_is_chosen_by_what_other_figures_rest_on(tmp_path: Path) -> None:
    rows = ["file\tlanguage\ttranscript\ttranscript_source\tspeaker"]
    for number, (speaker, source, seconds) in enumerate(
        [("seen", "pseudo", 2), ("seen", "none", 2), ("unseen", "corpus", 2), ("seen", "book", 29)]
    ):
        soundfile.write(
            tmp_path / f"{number}.wav", np.zeros(seconds * HEARING_HZ, np.int16), HEARING_HZ
        )
        rows.append(f"{number}.wav\ten\tBlue.\t{source}\t{speaker}")
    (tmp_path / "manifest.tsv").write_text("\n".join(rows) + "\n")

    assert [2.0] == [len(clip.pcm) / HEARING_HZ for clip in clips_of(tmp_path, "en")]
    with pytest.raises(UnavailableError, match="language 'ko'"):
        clips_of(tmp_path, "ko")
