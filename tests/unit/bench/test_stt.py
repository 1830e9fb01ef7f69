"""Which clips nothing may be chosen by, and how errors are counted."""

import numpy as np
import pytest

from voiced.bench.stt import Clip, Result, rate

pytestmark = pytest.mark.unit


def clip(transcript: str, speaker: str = "one") -> Clip:
    return Clip(np.zeros(0, np.int16), transcript, speaker)


def test_all_clips_of_a_speaker_are_of_one_part() -> None:
    assert clip("Yes.").held_out == clip("Good morning.").held_out


def test_both_parts_have_speakers() -> None:
    assert {True, False} == {clip("", f"speaker-{number}").held_out for number in range(20)}


def test_errors_are_of_all_words_together() -> None:
    """A long clip counts for more than a short one."""
    clips = [clip("no"), clip("one two three four five six seven eight nine")]
    results = [Result(1.0, "yes"), Result(1.0, "one two three four five six seven eight nine")]

    assert 0.1 == rate(clips, results)


def test_without_clips_there_are_no_errors() -> None:
    assert 0.0 == rate([], [])
