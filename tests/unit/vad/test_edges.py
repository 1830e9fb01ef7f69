"""Where the voice began and ended, by its level above that of the line without it."""

import numpy as np
import pytest

from voiced.audio.pcm import HEARING_HZ, Pcm
from voiced.vad.edges import STEP, Edges
from voiced.vad.hysteresis import WINDOW
from voiced.vad.model import SpeechBegan, SpeechEnded

pytestmark = pytest.mark.unit


def line(voice_s: float, pause_s: float, voice: float, noise: float) -> Pcm:
    chance = np.random.default_rng(1)
    silence = np.zeros(int(pause_s * HEARING_HZ))
    sound = np.concatenate([chance.normal(0, voice, int(voice_s * HEARING_HZ)), silence])
    return (sound + chance.normal(0, noise, len(sound))).astype(np.int16)


def heard(pcm: Pcm) -> Edges:
    edges = Edges()
    for start in range(0, len(pcm) - WINDOW + 1, WINDOW):
        edges.hear(start, pcm[start : start + WINDOW])
    return edges


def told(pcm: Pcm, at: float) -> float:
    """The end, in seconds, when the detector has it at `at` seconds."""
    verdict = heard(pcm).ended(SpeechEnded(100 + at, int(at * HEARING_HZ), 1.0))
    assert verdict.at - 100 == pytest.approx(verdict.sample / HEARING_HZ)
    assert 1.0 == verdict.voiced_s
    return verdict.sample / HEARING_HZ


def test_the_end_is_where_the_voice_was_last_above_the_pause() -> None:
    assert 1.0 == pytest.approx(told(line(1.0, 0.3, 3000, 30), 1.088), abs=0.01)


def test_in_noise_it_is_too() -> None:
    assert 1.0 == pytest.approx(told(line(1.0, 0.3, 3000, 600), 1.088), abs=0.01)


def test_a_voice_that_noise_covers_ends_where_the_detector_says() -> None:
    """Nothing can be told, and an end too early would cut the caller off."""
    assert 1.088 == pytest.approx(told(line(1.0, 0.3, 500, 3000), 1.088), abs=STEP / HEARING_HZ)


def test_the_end_is_never_moved_far() -> None:
    assert 1.2 - 0.112 == pytest.approx(told(line(0.5, 1.0, 3000, 30), 1.2), abs=0.001)


def test_without_a_pause_nothing_is_known_of_the_noise() -> None:
    assert 1.28 == told(line(1.28, 0.0, 3000, 30), 1.28)


def test_digital_silence_is_silence() -> None:
    assert 1.0 == pytest.approx(told(line(1.0, 0.3, 3000, 0), 1.088), abs=0.01)


def hissing(hiss_s: float, hiss: float, noise: float) -> Pcm:
    """Half a second of the line, a word that begins with a hiss, 0.1 s of its vowel."""
    chance = np.random.default_rng(1)
    parts = (0.5, 0.0), (hiss_s, hiss), (0.1, 3000.0)
    sound = np.concatenate([chance.normal(0, loud, int(s * HEARING_HZ)) for s, loud in parts])
    return (sound + chance.normal(0, noise, len(sound))).astype(np.int16)


def begun(pcm: Pcm, at: float, edges: Edges | None = None) -> float:
    """The beginning, in seconds, when the detector has it at `at` seconds."""
    told = SpeechBegan(100 + at, int(at * HEARING_HZ))
    verdict = (edges or heard(pcm)).began(told)
    assert verdict.at - 100 == pytest.approx(verdict.sample / HEARING_HZ)
    return verdict.sample / HEARING_HZ


def test_a_word_begins_with_its_hiss_which_the_detector_takes_for_noise() -> None:
    assert 0.5 == pytest.approx(begun(hissing(0.08, 300, 10), 0.58), abs=0.01)


def test_a_hole_in_a_word_does_not_hide_its_beginning() -> None:
    """As in "stop"."""
    pcm = hissing(0.08, 300, 10)
    pcm[int(0.54 * HEARING_HZ) : int(0.58 * HEARING_HZ)] //= 100

    assert 0.5 == pytest.approx(begun(pcm, 0.58), abs=0.01)


def test_a_sound_long_before_a_word_is_none_of_it() -> None:
    pcm = hissing(0.0, 0, 10)
    pcm[int(0.40 * HEARING_HZ) : int(0.42 * HEARING_HZ)] = 1000

    assert 0.5 == pytest.approx(begun(pcm, 0.5), abs=0.01)


def test_a_hiss_that_noise_covers_is_not_looked_for() -> None:
    assert 0.58 == pytest.approx(begun(hissing(0.08, 300, 600), 0.58), abs=0.02)


def test_the_beginning_is_never_moved_far() -> None:
    assert 0.8 - 0.112 == pytest.approx(begun(hissing(0.3, 300, 10), 0.8), abs=0.001)


def test_speech_does_not_begin_before_the_last_of_it_ended() -> None:
    edges = heard(hissing(0.1, 300, 10))
    ended = edges.ended(SpeechEnded(100.55, int(0.55 * HEARING_HZ), 1.0))

    assert begun(np.zeros(0, np.int16), 0.6, edges) >= ended.sample / HEARING_HZ


def test_a_line_of_which_nothing_was_heard_before_tells_nothing() -> None:
    assert 0.064 == begun(hissing(0.08, 300, 10)[: WINDOW * 4], 0.064)
