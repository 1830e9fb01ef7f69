"""What a caller who speaks over the agent hears of it."""

import numpy as np
import pytest

from voiced.audio.levels import WINDOW_S, levels
from voiced.audio.pcm import HEARING_HZ, Pcm
from voiced.bench.call_far import WORD_S, pitch_hz, tone
from voiced.bench.call_heard import silent_after, softer_after, words_in
from voiced.testing.ear import Heard

pytestmark = pytest.mark.unit

PITCHES = [pitch_hz(word) for word in range(12)]


def heard(*stretches: tuple[float, float]) -> Heard:
    """Seconds at a level in dB, one after the other, from 0.0 on."""
    db = np.concatenate([np.full(round(s / WINDOW_S), level) for s, level in stretches])
    return Heard(np.arange(len(db)) * WINDOW_S, db.astype(np.float32))


def said(*words: int) -> Pcm:
    return np.concatenate([tone(pitch_hz(word), WORD_S, HEARING_HZ) for word in words])


def quiet(seconds: float) -> Pcm:
    return np.zeros(int(seconds * HEARING_HZ), np.int16)


def test_the_agent_is_silent_from_the_end_of_its_sound_on() -> None:
    agent = heard((1.25, -20), (1.0, -90))

    assert 1.25 == pytest.approx(silent_after(agent, 1.0))


def test_a_silence_between_two_words_is_none() -> None:
    agent = heard((1.1, -20), (0.2, -90), (0.3, -20), (1.0, -90))

    assert 1.6 == pytest.approx(silent_after(agent, 1.0))


def test_an_agent_that_had_ended_by_itself_was_not_interrupted() -> None:
    agent = heard((0.5, -20), (2.0, -90))

    assert silent_after(agent, 1.0) is None


def test_an_agent_that_goes_on_was_not_silenced() -> None:
    assert silent_after(heard((3.0, -20)), 1.0) is None


def test_a_ducked_agent_is_softer_from_then_on() -> None:
    agent = heard((1.08, -20), (0.2, -32), (1.0, -90))

    assert 1.08 == pytest.approx(softer_after(agent, 1.0))


def test_an_agent_that_stays_as_loud_is_not_ducked() -> None:
    assert softer_after(heard((3.0, -20)), 1.0) is None


def test_words_are_told_by_their_pitch() -> None:
    assert [0, 1, 2, 11] == words_in(said(0, 1, 2, 11), PITCHES)


def test_a_word_that_a_hold_has_cut_in_two_is_one() -> None:
    word = said(1)
    half = len(word) // 2

    cut = np.concatenate([said(0), word[:half], quiet(0.4), word[half:], said(2)])
    assert [0, 1, 2] == words_in(cut, PITCHES)


@pytest.mark.parametrize("words", [(0, 1, 3), (0, 1, 2, 1, 2, 3)])
def test_a_word_that_is_lost_or_doubled_shows(words: tuple[int, ...]) -> None:
    pcm = np.concatenate([said(*words[:2]), quiet(0.3), said(*words[2:])])

    assert [*words] == words_in(pcm, PITCHES)
    assert -20 < float(np.max(levels(pcm, HEARING_HZ)))
