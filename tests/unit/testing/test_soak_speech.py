"""A soak's callers know by ear who speaks, and by what was understood whose words were taken."""

from pathlib import Path

import numpy as np
import pytest

from voiced.audio import file
from voiced.audio.pcm import HEARING_HZ, Pcm
from voiced.testing.soak_speech import Hums, Words, misheard
from voiced.testing.tones import LINE_MARK, MARK_S, Fault, hum, mark_hz, mark_of

pytestmark = pytest.mark.unit

DATA = Path(__file__).parents[2] / "data"
CALLS = [f"{number:016x}" for number in range(LINE_MARK)]
WORDS = Words(DATA)


def behind_speech(mark: int) -> Pcm:
    speech = file.read(DATA / "question_parking.wav", HEARING_HZ)
    return np.concatenate([speech, hum(mark_hz(mark), MARK_S, HEARING_HZ)])


@pytest.mark.parametrize("call", CALLS)
def test_the_mark_of_a_call_is_heard_behind_speech_and_no_other(call: str) -> None:
    heard = WORDS.heard(behind_speech(mark_of(call)))

    assert ({mark_of(call)}, False) == (heard.marks, heard.line)
    assert mark_of(call) == WORDS.ask(0, 0, Fault.NONE, call).mark


def test_a_fixed_line_is_nobodys_answer() -> None:
    heard = WORDS.heard(behind_speech(LINE_MARK))

    assert (set(), True) == (heard.marks, heard.line)


@pytest.mark.parametrize("name", ["visiting_hours", "parking", "pharmacy"])
def test_speech_alone_has_no_mark(name: str) -> None:
    heard = WORDS.heard(file.read(DATA / f"question_{name}.wav", HEARING_HZ))

    assert (set(), False) == (heard.marks, heard.line)


def test_a_hum_is_answered_by_its_own_caller() -> None:
    asked = Hums().ask(4, 1, Fault.STT_HANGS, "0")

    assert (5, "stt hangs") == (asked.mark, asked.kind)
    assert {5} == Hums().heard(asked.pcm).marks


def test_words_of_another_caller_are_found() -> None:
    asked = [WORDS.ask(0, 0, Fault.NONE, "1")]
    kind = "conversation.item.input_audio_transcription.completed"

    assert set() == misheard(asked, [{"type": kind, "transcript": "When can I visit?"}])
    assert {"park"} == misheard(asked, [{"type": kind, "transcript": "Where do I park?"}])
    assert set() == misheard(asked, [{"type": "response.done", "transcript": "You can park"}])
