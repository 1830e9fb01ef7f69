"""In which of the agent's languages a caller speaks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voiced.stt.leaning import Leaning, Leanings

pytestmark = pytest.mark.unit

ENGLISH = Leaning("en", ("en", "ko"))

Turn = tuple[dict[str, float], float]
"""What the recogniser guesses, and how long the caller spoke."""


def languages(*turns: Turn, first: Leaning = ENGLISH) -> list[str]:
    """The language of the call after each turn."""
    held, now = [], first
    for likely, voiced_s in turns:
        now = now.after(likely, voiced_s)
        held.append(now.language)
    return held


def english(part: float, voiced_s: float = 2.0) -> Turn:
    return {"en": part, "ko": 1 - part}, voiced_s


def korean(part: float, voiced_s: float = 2.0) -> Turn:
    return {"ko": part, "en": 1 - part}, voiced_s


def test_a_whole_sentence_switches_and_another_switches_back() -> None:
    assert ["en", "ko", "ko", "en"] == languages(
        english(0.98), korean(0.98), korean(0.95), english(0.97)
    )


def test_one_word_switches_nothing_however_sure_the_guess() -> None:
    assert ["en", "en", "en"] == languages(*[korean(0.99, voiced_s=0.45)] * 3)


def test_a_doubtful_turn_needs_another_that_agrees() -> None:
    assert ["en", "ko"] == languages(korean(0.8), korean(0.75))
    assert ["en", "ko"] == languages(korean(0.99, voiced_s=1.2), korean(0.99, voiced_s=1.2))


def test_doubtful_turns_that_do_not_agree_switch_nothing() -> None:
    assert ["en"] * 4 == languages(korean(0.8), english(0.9), korean(0.8), english(0.9))


def test_a_word_between_two_turns_is_no_answer_to_the_doubt() -> None:
    assert ["en", "en", "ko"] == languages(korean(0.8), english(0.9, voiced_s=0.3), korean(0.8))


def test_a_guess_that_is_none_keeps_the_language() -> None:
    assert ["en"] * 3 == languages(*[korean(0.6)] * 3)
    assert ["ko"] == languages(english(0.6), first=Leaning("ko", ("en", "ko")))


def test_a_language_that_the_agent_does_not_have_is_never_chosen() -> None:
    """What it has most in common with is one of the agent's all the same, where it is near."""
    assert ["en"] == languages(({"ja": 0.9, "ko": 0.05, "en": 0.01}, 3.0))
    assert ["ko"] == languages(({"ja": 0.3, "ko": 0.6, "en": 0.01}, 3.0))


def test_noise_that_sounds_like_no_language_switches_nothing() -> None:
    """Of three seconds of silence Whisper says: Welsh, 0.34."""
    assert ["en"] == languages(({"cy": 0.34, "ko": 0.1, "en": 0.001}, 3.0))


@given(
    st.lists(
        st.tuples(
            st.dictionaries(st.sampled_from(["en", "ko", "de", "cy"]), st.floats(0, 1)),
            st.floats(0, 30),
        )
    )
)
def test_whatever_is_heard_the_call_is_held_in_a_language_of_the_agents(turns: list[Turn]) -> None:
    assert {"en", "ko"} >= {*languages(*turns)}


def test_a_turn_that_is_read_again_is_weighed_against_what_was_before_it() -> None:
    """Two readings of one turn are one turn: they do not agree with themselves."""
    call = Leanings(ENGLISH)
    for _ in range(3):
        before = call.before(1)
        assert before == ENGLISH
        call.read(before.after(*korean(0.8)))
        assert "en" == call.counts(1)

    later = call.before(2)
    assert later is not None
    call.read(later.after(*korean(0.8)))
    assert "ko" == call.counts(2)


def test_a_turn_that_goes_on_in_the_old_language_takes_the_switch_back() -> None:
    call = Leanings(ENGLISH)
    call.read(ENGLISH.after(*korean(0.95)))
    assert "ko" == call.counts(1)

    before = call.before(1)
    assert before is not None
    call.read(before.after(*english(0.95)))
    assert "en" == call.counts(1)


def test_what_was_read_and_never_became_a_turn_does_not_count_for_long() -> None:
    """Words over the agent that it was right to ignore, and then a turn."""
    call = Leanings(ENGLISH)
    call.read(ENGLISH.after(*korean(0.95)))
    before = call.before(2)

    assert before == ENGLISH
    call.read(before.after(*english(0.9)))
    assert "en" == call.counts(2)


def test_an_agent_with_one_language_has_nothing_to_guess() -> None:
    call = Leanings(Leaning("en", ("en",)))
    assert call.before(1) is None

    call.read(None)
    assert "en" == call.counts(1)
