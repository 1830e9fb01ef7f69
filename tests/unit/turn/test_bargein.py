"""What takes the floor from the agent, and what only shows that somebody listens."""

import pytest

from voiced.turn.bargein import interrupts
from voiced.words import Words

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    "text",
    [
        "mm hmm",
        "Uh-huh.",
        "Okay.",
        "Right.",
        "Yeah, yeah.",
        "I see.",
        "Oh, okay.",
        "네.",
        "네, 네.",
    ],
)
def test_a_backchannel_lets_the_agent_go_on(text: str) -> None:
    assert not interrupts(Words(text), asking=False)


@pytest.mark.parametrize(
    "text",
    [
        "Stop.",
        "Wait.",
        "No.",
        "Top.",  # a recogniser's reading of "Stop."
        "Uh, okay, stop.",
        "Help!",
        "Listen to me.",
        "Doctor Kim?",
        "What about Sunday?",
        "10.",
        "잠깐만요.",
    ],
)
def test_anything_else_takes_the_floor_also_when_it_is_one_word(text: str) -> None:
    assert interrupts(Words(text), asking=False)


@pytest.mark.parametrize("text", ["Yeah.", "Okay.", "mm hmm", "네."])
def test_after_a_question_a_backchannel_is_an_answer(text: str) -> None:
    assert interrupts(Words(text), asking=True)


@pytest.mark.parametrize("text", ["", " ", "...", "-"])
def test_no_words_never_do(text: str) -> None:
    assert not interrupts(Words(text), asking=True)
