"""Kokoro with weights that are a toy: which style it gets, and when words are over."""

import numpy as np
import pytest

from voiced.tts.diction import Diction
from voiced.tts.kokoro import FRAME_S, HZ, Kokoro, Speaker, Weights
from voiced.tts.kokoro_symbols import ACCENTS
from voiced.tts.phonemes import pieces
from voiced.tts.windows import Floats

pytestmark = pytest.mark.unit

VOCABULARY = {sign: number for number, sign in enumerate(" abcdefghijklmnopqrstuvwxyz,.", 1)}
FRAME = int(FRAME_S * HZ)


class Toy(Weights):
    """Each symbol is two frames of sound; 12 frames of silence in front, 4 behind."""

    def __init__(self) -> None:
        self.vocabulary = VOCABULARY
        self.asked: list[tuple[list[int], float]] = []

    def run(self, numbers: list[int], style: Floats) -> tuple[Floats, Floats]:
        self.asked.append((numbers, float(style[0])))
        frames = np.array([12, *(2 for _ in numbers[1:-1]), 4], np.float32)
        levels = np.array([0.0, *(0.5 for _ in numbers[1:-1]), 0.0], np.float32)
        return np.repeat(levels, (frames * FRAME).astype(int)), frames


class Spelling:
    closed = False

    def phonemes(self, text: str) -> str:
        return text.lower()

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def toy() -> Toy:
    return Toy()


@pytest.fixture
def voice(toy: Toy) -> Kokoro:
    styles = np.repeat(np.arange(510, dtype=np.float32)[:, None], 256, axis=1)
    return Kokoro(toy, Speaker("af_toy", styles, ACCENTS["f"]), Spelling())


def test_symbols_stand_between_two_zeros_with_the_style_of_their_number(
    toy: Toy, voice: Kokoro
) -> None:
    (piece,) = pieces("ab c.")
    assert voice.breathe(piece) is not None

    assert [([0, 2, 3, 1, 4, 29, 0], 4.0)] == toy.asked


def test_words_are_over_with_their_last_symbol(voice: Kokoro) -> None:
    """The long silence in front is cut, all but its last 5 ms."""
    ends: list[float] = []
    for _ in Diction(voice, 1.0).say("ab c.", ends):
        pass

    assert pytest.approx([0.005 + 4 * FRAME_S, 0.005 + 8 * FRAME_S]) == ends


def test_silence_is_cut_at_both_ends(voice: Kokoro) -> None:
    """0.3 s in front become 5 ms; behind a sentence stays what a speaker leaves."""
    sound = np.concatenate(list(Diction(voice, 1.0).say("abc.", [])))

    assert pytest.approx(0.005 + 8 * FRAME_S + 0.1, abs=0.01) == len(sound) / HZ


def test_a_long_sentence_is_said_in_parts_where_a_mark_allows_it(toy: Toy, voice: Kokoro) -> None:
    text = "a phrase of some length, and another one of some length, and the last of them."
    for _ in Diction(voice, 1.0).say(text, []):
        pass

    assert 2 == len(toy.asked)


def test_a_text_that_is_longer_than_the_graph_takes_is_cut(toy: Toy, voice: Kokoro) -> None:
    class Wordy(Spelling):
        def phonemes(self, text: str) -> str:
            return "abcde " * 200

    styles = np.zeros((510, 256), np.float32)
    wordy = Kokoro(toy, Speaker("af_toy", styles, ACCENTS["f"]), Wordy())
    (piece,) = pieces("ab.")

    assert wordy.breathe(piece) is not None
    assert 512 == len(toy.asked[0][0])


def test_what_has_no_symbol_is_not_said(toy: Toy, voice: Kokoro) -> None:
    (piece,) = pieces("ΩΩ")

    assert voice.breathe(piece) is None
    assert [] == toy.asked


def test_closing_ends_the_phonemiser(voice: Kokoro) -> None:
    voice.close()

    assert voice._phonemiser.closed  # type: ignore[attr-defined]
