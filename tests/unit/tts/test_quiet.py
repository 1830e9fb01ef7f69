"""Silence at the ends of speech: cut to a bound, and nothing else is touched."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from voiced.audio.pcm import Pcm
from voiced.tts.quiet import HEAD_S, Trim

pytestmark = pytest.mark.unit

HZ = 1000
HEAD = int(HEAD_S * HZ)
TAIL = 100


def level(samples: int, value: int = 0) -> Pcm:
    return np.full(samples, value, np.int16)


def trimmed(*chunks: Pcm) -> tuple[Pcm, int]:
    """What comes out, and the samples that were cut in front."""
    trim = Trim(HZ, TAIL / HZ)
    sound = [trim.push(chunk) for chunk in chunks]
    return np.concatenate([*sound, trim.end()]), trim.removed


def test_long_silence_is_cut_at_both_ends() -> None:
    sound, removed = trimmed(level(300), level(50, 9000), level(400))

    assert [*level(HEAD), *level(50, 9000), *level(TAIL)] == sound.tolist()
    assert 300 - HEAD == removed


def test_short_silence_stays_as_it_is() -> None:
    chunks = level(5, 3), level(50, 9000), level(40, -3)
    sound, removed = trimmed(*chunks)

    assert np.concatenate(chunks).tolist() == sound.tolist()
    assert 0 == removed


def test_a_pause_inside_speech_is_as_long_as_it_was() -> None:
    sound, _ = trimmed(level(50, 9000), level(500), level(50, -9000))

    assert 600 == len(sound)


def test_sound_is_not_held_back() -> None:
    """Only what may turn out to be the end waits."""
    trim = Trim(HZ, TAIL / HZ)

    assert 50 == len(trim.push(np.concatenate([level(50, 9000), level(200)])))
    assert 210 == len(trim.push(level(10, 9000)))


def test_silence_alone_is_no_sound() -> None:
    sound, removed = trimmed(level(200), level(300, 20))

    assert (0, 500 - HEAD) == (len(sound), removed)


@given(
    some.lists(some.integers(-30_000, 30_000), max_size=60),
    some.lists(some.integers(1, 30), max_size=8),
)
def test_where_the_chunks_are_cut_changes_nothing(samples: list[int], cuts: list[int]) -> None:
    quiet = np.array([s if abs(s) > 9000 else s % 90 for s in samples], np.int16)
    whole = np.concatenate([level(40), quiet, level(150)])
    places = np.cumsum(cuts)

    once, removed = trimmed(whole)
    often, removed_often = trimmed(*np.split(whole, places[places < len(whole)]))

    assert once.tolist() == often.tolist()
    assert removed == removed_often
