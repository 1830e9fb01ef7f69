# ruff: noqa: RUF001 - letters of the phonetic alphabet look like others
"""When a Piper voice says which word, from the lengths that its encoder draws."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest

from voiced.audio.pcm import SPEAKING_HZ
from voiced.tts.diction import Diction
from voiced.tts.phonemes import Phrase
from voiced.tts.traits import Audio, Language, Manner, Traits
from voiced.tts.vits import Vits
from voiced.tts.windows import Floats, Latent

pytestmark = pytest.mark.unit

HOP = 240
FRAME_S = HOP / SPEAKING_HZ
TRAITS = Traits(
    audio=Audio(sample_rate=SPEAKING_HZ),
    espeak=Language(voice="en-us"),
    inference=Manner(noise_scale=0.0, length_scale=1.0, noise_w=0.0),
    phoneme_id_map={"_": [0], "^": [1], "$": [2], " ": [3], "a": [4], "b": [5], ".": [6]},
)


class Parts:
    """Each letter is ten frames of sound, each space and mark five of silence."""

    decoder_context = 0
    hop = HOP
    fixed = False

    def __init__(self, *, tells: bool = True, silence: int = 0) -> None:
        self._tells = tells
        self._silence = silence
        """Frames before the first sound."""

    def encode(self, numbers: Sequence[int], manner: Manner, pace: Sequence[float] = ()) -> Latent:
        self.pace = list(pace)
        frames = [self._silence, *({4: 10, 5: 10, 3: 5, 6: 5}.get(n, 0) for n in numbers[1:])]
        levels = [0.5 if n in (4, 5) else 0.0 for n in numbers]
        z = np.repeat(np.array(levels, np.float32), frames).reshape(1, 1, -1)
        durations = np.array(frames, np.float32) if self._tells else None
        return Latent(z, np.ones_like(z), None, durations)

    def flow(self, z_p: Floats, mask: Floats, speaker: Floats | None) -> Floats:
        return z_p

    def decode(self, z: Floats, speaker: Floats | None) -> Floats:
        return np.repeat(z[0, 0], HOP)


class Spelling:
    """A phonemiser whose phonemes are the letters."""

    def phonemes(self, text: str) -> str:
        return text.lower()

    def close(self) -> None:
        """Nothing to end."""


def ends(text: str, parts: Parts) -> list[float]:
    found: list[float] = []
    said: Iterator[object] = Diction(Vits(TRAITS, parts, Spelling()), 1.0).say(text, found)
    for _ in said:
        assert [] == found, "told before the last chunk was made"
    return found


def test_a_word_is_over_with_its_last_phoneme() -> None:
    assert pytest.approx([20 * FRAME_S, 55 * FRAME_S]) == ends("aa bbb.", Parts())


def test_words_behind_a_pause_are_counted_with_it() -> None:
    """The second sentence begins behind the first one's mark and all of its short silence."""
    assert pytest.approx([10 * FRAME_S, 25 * FRAME_S]) == ends("a. b.", Parts())


def test_silence_that_is_cut_in_front_counts_for_no_word() -> None:
    """Half a frame of it stays."""
    assert pytest.approx([10.5 * FRAME_S, 25.5 * FRAME_S], abs=1e-6) == ends(
        "a b.", Parts(silence=60)
    )


def test_a_graph_that_tells_no_lengths_tells_no_ends() -> None:
    assert [] == ends("aa bbb.", Parts(tells=False))


def test_a_moment_between_two_words_is_a_comma_in_a_quarter_of_its_time() -> None:
    """Of each of the two numbers, symbol and what is between, of the comma and of its space."""
    parts = Parts()
    ids = {**TRAITS.phoneme_id_map, ",": [7], "k": [8], "e": [9], "ɪ": [10], "t": [11]}
    vits = Vits(replace(TRAITS, phoneme_id_map=ids), parts, Spelling())
    vits.breathe((Phrase("k eɪt", "."),))

    assert [1.0] * 4 + [0.25] * 4 + [1.0] * 9 == parts.pace
    vits.breathe((Phrase("k e", "."),))

    assert [] == parts.pace, "everything else is as long as it was"


def test_a_word_before_such_a_moment_is_over_with_its_last_phoneme() -> None:
    ids = {**TRAITS.phoneme_id_map, ",": [7], "e": [4], "ɪ": [4], "t": [5]}
    traits = replace(TRAITS, phoneme_id_map=ids)
    found: list[float] = []
    for _ in Diction(Vits(traits, Parts(), Spelling()), 1.0).say("b eɪt.", found):
        pass

    assert pytest.approx([10 * FRAME_S, 45 * FRAME_S]) == found
