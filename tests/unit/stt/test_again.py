"""What is listened for once more: only what the sound bears out may raise an alarm."""

from collections.abc import Mapping, Sequence

import pytest

from voiced.stt import again
from voiced.stt.decoding import Decoded
from voiced.words import Words

pytestmark = pytest.mark.unit

READ = "I have just been."
PAIN = "I have chest pain."


def decoded(text: str, logprob: float = -2.0, *, cut: bool = False) -> Decoded:
    tokens = tuple(ord(sign) for sign in text)
    return Decoded(tokens, text, logprob, no_speech=0.0, cut=cut)


def names(text: Words) -> int:
    said = text.reveal()
    return 2 if "chest pain" in said else 1 if "stroke" in said else 0


def borne(told: Sequence[Decoded], likely: Mapping[str, float], logprob: float = -2.0) -> str:
    def chance(tokens: Sequence[int]) -> float:
        return likely["".join(map(chr, tokens))]

    return again.borne(decoded(READ, logprob), lambda: told, chance, names)


def test_a_phrase_that_the_sound_bears_as_well_was_said() -> None:
    assert PAIN == borne([decoded(PAIN)], {READ: -6.0, PAIN: -8.0})


def test_a_phrase_that_the_sound_does_not_bear_was_not_said() -> None:
    assert "" == borne([decoded(PAIN)], {READ: -6.0, PAIN: -6.1 - again.BORNE})


def test_a_phrase_of_one_word_must_be_borne_better_than_a_longer_one() -> None:
    """A caller who recites verses is no danger to themselves."""
    short, less = "A stroke.", -6.1 - again.BORNE_SHORT

    assert "" == borne([decoded(short)], {READ: -6.0, short: less})
    assert PAIN == borne([decoded(PAIN)], {READ: -6.0, PAIN: less})
    assert short == borne([decoded(short)], {READ: -6.0, short: less + 0.2})


def test_the_phrase_may_stand_in_a_less_likely_reading() -> None:
    told = [decoded("I have just paint."), decoded(PAIN)]

    assert PAIN == borne(told, {READ: -6.0, PAIN: -9.0})


def test_a_mark_that_the_sound_does_not_bear_does_not_hide_the_phrase() -> None:
    told = [decoded("I have chest pain, "), decoded(PAIN)]

    assert PAIN == borne(told, {READ: -6.0, "I have chest pain, ": -30.0, PAIN: -9.0})


def test_where_no_reading_names_one_the_sound_is_not_asked() -> None:
    assert "" == borne([decoded("I have just paint.")], {})


def test_a_reading_that_did_not_come_to_its_end_counts_for_nothing() -> None:
    assert "" == borne([decoded(PAIN, cut=True)], {})


def test_in_noise_alone_nothing_is_listened_for() -> None:
    """A model that is told what may come hears that in hiss as well."""
    unsure = again.UNDERSTOOD * (len(READ) + 1)
    bears = {READ: -6.0, PAIN: -6.0}

    assert "" == borne([decoded(PAIN)], bears, unsure - 0.1)
    assert PAIN == borne([decoded(PAIN)], bears, unsure + 0.1)
