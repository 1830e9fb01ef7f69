"""A code survives as a word and as a sound, and is told from a fixed line and from noise."""

import numpy as np
import pytest

from voiced.audio.pcm import HEARING_HZ, Pcm
from voiced.testing.tones import (
    CODES,
    LINE_HZ,
    Fault,
    caller_of,
    code_of,
    fault_of,
    heard,
    hertz,
    hum,
    read,
    said,
    word,
)

pytestmark = pytest.mark.unit


def silence(seconds: float) -> Pcm:
    return np.zeros(int(seconds * HEARING_HZ), np.int16)


def test_every_code_can_be_read_off_its_word_and_its_sound() -> None:
    codes = range(0, CODES, 7)

    assert [*codes] == [read(f"This is {word(code)} for you.") for code in codes]
    assert [*codes] == [said(hum(hertz(code), 0.8, HEARING_HZ), HEARING_HZ) for code in codes]


def test_a_code_names_what_shall_go_wrong() -> None:
    assert Fault.TOOL_HANGS == fault_of(code_of(17, Fault.TOOL_HANGS))


def test_a_tone_that_a_bad_line_bends_is_still_its_callers() -> None:
    edges = (code_of(5, Fault.NONE) - 1, code_of(5, Fault.VOICE_CRAWLS) + 1)

    assert {5} == {caller_of(code) for code in edges}
    assert {Fault.NONE} == {fault_of(code) for code in edges}


def test_what_is_heard_is_told_in_its_order() -> None:
    first, second = hertz(12), hertz(140)
    pcm = np.concatenate(
        [
            hum(LINE_HZ, 0.5, HEARING_HZ),
            silence(0.3),
            hum(first, 0.8, HEARING_HZ),
            hum(second, 0.8, HEARING_HZ),
        ]
    )

    assert [None, 12, 140] == heard(pcm, HEARING_HZ)


def test_a_short_sound_says_nothing() -> None:
    """What a codec makes up for a lost packet is no stranger's answer."""
    assert [] == heard(np.concatenate([hum(hertz(9), 0.2, HEARING_HZ), silence(1)]), HEARING_HZ)
    assert [] == heard(silence(2), HEARING_HZ)


def test_a_text_without_a_code_names_none() -> None:
    assert read("Where do I park?") is None
