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
        "Slower, please.",
        "Can you speak a bit slower?",
        "Could you say that again more slowly?",
        "Not so fast!",
        "Sorry, you\u2019re talking too fast.",
        "Slow down.",
        "좀 천천히 말씀해 주세요.",
        "말이 너무 빨라요.",
    ],
)
def test_a_wish_for_slower_speech_is_known(said: str) -> None:
    assert Aside.SLOWER is aside(Words(said))


@pytest.mark.parametrize(
    "said",
    [
        "Louder.",
        "Can you speak up, please?",
        "Could you say it a little louder?",
        "I can\u2019t hear you.",
        "더 크게 말씀해 주세요.",
        "잘 안 들려요.",
    ],
)
def test_a_wish_for_louder_speech_is_known(said: str) -> None:
    assert Aside.LOUDER is aside(Words(said))


@pytest.mark.parametrize(
    "said",
    [
        "",
        "Slow.",
        "It is getting louder at night.",
        "My heart is too fast.",
        "I can't hear well on the left.",
        "귀가 잘 안 들려요.",
        "맥박이 너무 빨라요.",
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
