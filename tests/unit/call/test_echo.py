"""The agent's own words come back; the caller's are the caller's."""

import pytest

from voiced.call.echo import echoes
from voiced.words import Words

pytestmark = pytest.mark.unit

SAID = Words("Your appointment is on Thursday at three with Doctor Kim.")


@pytest.mark.parametrize(
    "heard",
    [
        "appointment is on Thursday at three",
        "Your appointment is on Thursday at tree.",  # misread by the recogniser
        "with Doctor Kim",
        "your appointment is on thursday at three with doctor kim",
    ],
)
def test_a_stretch_of_what_the_agent_says_is_its_echo(heard: str) -> None:
    assert echoes(Words(heard), SAID)


@pytest.mark.parametrize(
    "heard", ["No, Thursday.", "Stop.", "Is it not on Friday?", "three Thursday appointment"]
)
def test_other_words_are_the_caller_s(heard: str) -> None:
    assert not echoes(Words(heard), SAID)


def test_one_word_is_never_an_echo() -> None:
    """A lost "no" is worse than an agent that stops for itself."""
    assert not echoes(Words("No!"), Words("There is no fee for that."))


def test_nothing_is_no_echo_and_silence_has_none() -> None:
    assert not echoes(Words("..."), SAID)
    assert not echoes(Words("Thursday at three"), Words(""))
