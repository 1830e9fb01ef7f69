"""From a model's samples to what a caller hears: one loudness, and joins as in speech."""

from collections.abc import Iterator

import numpy as np
import pytest

from voiced.audio.loudness import integrated_lufs
from voiced.audio.pcm import SPEAKING_HZ, Pcm
from voiced.tts.diction import LOUDNESS_LUFS, Breath, Diction
from voiced.tts.phonemes import Piece
from voiced.tts.windows import Floats

pytestmark = pytest.mark.unit


class Hum:
    """Hums for each letter, with much silence at both ends."""

    piece_characters = 200

    def __init__(self, peak: float, hz: int = SPEAKING_HZ, silence_s: float = 0.5) -> None:
        self.hz = hz
        self.warmed = self.closed = False
        self._peak = peak
        self._silence = np.zeros(int(silence_s * hz), np.float32)

    def breathe(self, piece: Piece) -> Breath | None:
        letters = sum(len(phrase.text) for phrase in piece)
        return None if "x" in piece[0].text else Breath(self._hum(letters))

    def warm(self) -> None:
        self.warmed = True

    def close(self) -> None:
        self.closed = True

    def _hum(self, letters: int) -> Iterator[Floats]:
        at = np.arange(int(letters * 0.05 * self.hz)) / self.hz
        yield self._silence
        yield (self._peak * np.sin(2 * np.pi * 300 * at)).astype(np.float32)
        yield self._silence


def said(diction: Diction, text: str) -> Pcm:
    return np.concatenate([np.zeros(0, np.int16), *diction.say(text, [])])


@pytest.mark.parametrize("peak", [0.02, 0.2, 0.9])
def test_a_voice_that_nobody_measured_is_brought_to_the_loudness_of_all(peak: float) -> None:
    diction = Diction(Hum(peak), None)
    diction.warm()
    sound = said(diction, "as long as a sentence is")

    assert pytest.approx(LOUDNESS_LUFS, abs=0.5) == integrated_lufs(sound, SPEAKING_HZ)


def test_a_gain_that_is_known_is_left_alone() -> None:
    diction = Diction(Hum(0.1), 2.0)
    diction.warm()

    assert pytest.approx(0.2 * 32767, rel=0.01) == np.abs(said(diction, "abcdef")).max()


def test_a_silent_voice_is_not_made_louder() -> None:
    diction = Diction(Hum(0.0), None)
    diction.warm()

    assert 0 == len(said(diction, "abcdef"))


@pytest.mark.parametrize(
    ("first", "most_s"), [("some words,", 0.115), ("some words", 0.115), ("some words.", 0.135)]
)
@pytest.mark.parametrize("hz", [16_000, 22_050, 24_000])
def test_between_two_clauses_is_the_pause_of_speech(first: str, most_s: float, hz: int) -> None:
    """The model leaves a second there: at a comma 110 ms stay, at a full stop 140."""
    diction = Diction(Hum(0.5, hz), 1.0)
    sound = np.concatenate([said(diction, first), said(diction, "other words.")])
    loud = np.flatnonzero(np.abs(sound.astype(int)) > 500)
    gap_s = np.diff(loud).max() / SPEAKING_HZ

    assert most_s - 0.02 < gap_s < most_s


def test_clauses_join_without_a_click() -> None:
    """No step at a join is larger than one inside the hum."""
    diction = Diction(Hum(0.5), 1.0)
    chunks = [*diction.say("some words,", []), *diction.say("other words.", [])]
    sound = np.concatenate(chunks).astype(int)
    joins = np.cumsum([len(chunk) for chunk in chunks])[:-1]
    inside = int(0.5 * 32767 * 2 * np.pi * 300 / SPEAKING_HZ) + 2

    assert (
        max(abs(int(sound[at]) - int(sound[at - 1])) for at in joins if at < len(sound)) <= inside
    )


def test_a_piece_that_cannot_be_said_is_left_out() -> None:
    diction = Diction(Hum(0.5), 1.0)

    assert len(said(diction, "abc.")) == len(said(diction, "x. abc. x."))


def test_a_model_that_tells_no_words_tells_none() -> None:
    ends: list[float] = []
    list(Diction(Hum(0.5), 1.0).say("some words.", ends))

    assert [] == ends


def test_warming_and_closing_reach_the_model() -> None:
    hum = Hum(0.5)
    diction = Diction(hum, 1.0)
    diction.warm()
    diction.close()

    assert (True, True) == (hum.warmed, hum.closed)
