"""What is asked of the call itself: a whole turn of it, and nothing else."""

import pytest

from voiced.turn.asides import Aside, aside
from voiced.words import NOTHING, Words

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    "said", ["Goodbye.", "Bye!", "Okay, thank you, bye bye.", "Good bye", "네, 안녕히 계세요."]
)
def test_a_goodbye_is_known(said: str) -> None:
    assert Aside.GOODBYE is aside(Words(said))


@pytest.mark.parametrize(
    "said",
    [
        "Repeat",
        "Sorry, can you repeat that?",
        "Say that again, please.",
        "Pardon?",
        "What did you say?",
        "I didn\u2019t hear you.",
        "다시 말씀해 주세요.",
        "뭐라고요?",
    ],
)
def test_a_repetition_is_known(said: str) -> None:
    assert Aside.REPEAT is aside(Words(said))


@pytest.mark.parametrize(
    "said",
    [
        "",
        "Can I say goodbye to her?",
        "I must repeat the test",
        "Bye the way, when?",
        "Again on",
        "Thank you.",
        "Okay",
        "Do I take it again tomorrow?",
    ],
)
def test_what_says_more_is_for_the_language_model(said: str) -> None:
    assert aside(Words(said)) is None


def test_no_words_ask_nothing() -> None:
    assert aside(NOTHING) is None
