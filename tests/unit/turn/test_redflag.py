"""Phrases of an emergency: found whatever their form, and only where their words stand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voiced.turn.redflag import NO_FLAGS, RedFlags
from voiced.words import NOTHING, Words

pytestmark = pytest.mark.unit

FLAGS = RedFlags(
    [
        "chest pain",
        "can't breathe",
        "took too many pills",
        "bleeding",
        "가슴이 아파요",
        "숨을 못 쉬겠어요",
        "약을 너무 많이 먹었어요",
        "죽고 싶어요",
        "胸が痛い",
    ]
)


@pytest.mark.parametrize(
    "said",
    [
        "I have chest pain.",
        "CHEST PAINS!",
        "My chest... pain",
        "I can't breathe",
        "I can\u2019t breathe",
        "I cannot really breathe any more",
        "she can not even breathe",
        "I took too many of my pills",
        "It bleeds, it won't stop",
        "가슴이 아파요",
        "가슴이 너무 아픕니다",
        "가슴 아파",
        "가슴이아파요",
        "어제부터 가슴이 많이 아팠어요",
        "가슴이 아프고 어지러워요",
        "숨을 못 쉬어요",
        "숨 못 쉬겠어",
        "숨을 못쉬겠어요",
        "아버지가 가슴이 아프세요",
        "어머니 가슴이 아프십니다",
        "가슴이 많이 아프시대요",
        "가슴이아프세요",
        "숨을 못쉬신대요",
        "약을 너무 많이 먹었대요",
        "胸が痛いです。",
    ],
)
def test_a_phrase_is_found_whatever_its_form(said: str) -> None:
    assert FLAGS.raised_by(Words(said))


@pytest.mark.parametrize("said", ["no chest pain", "he does not have chest pain any more"])
def test_negation_is_left_to_people(said: str) -> None:
    assert FLAGS.raised_by(Words(said))


@pytest.mark.parametrize(
    "said",
    [
        "",
        "...",
        "The chest is fine but my leg is in pain",
        "pain in the chess club",
        "I can breathe",
        "I bought a chest of paintings",
        "가슴 사진을 찍었어요",
        "머리가 아파요",
        "가슴 앞이 가려워요",
        "숨을 쉬세요",
        "약을 먹었어요",
        "죽을 먹고 싶어요",
    ],
)
def test_words_that_only_look_like_one_raise_nothing(said: str) -> None:
    assert not FLAGS.raised_by(Words(said))


def test_without_phrases_nothing_is_raised() -> None:
    assert not NO_FLAGS.raised_by(Words("chest pain"))
    assert not RedFlags(["", "..."]).raised_by(NOTHING)
    assert not RedFlags(["", "..."]).raised_by(Words("chest pain"))


@given(before=st.text(), after=st.text())
def test_what_stands_around_a_phrase_does_not_hide_it(before: str, after: str) -> None:
    assert FLAGS.raised_by(Words(f"{before} chest pain {after}"))


@given(st.text())
def test_a_phrase_is_found_in_itself(phrase: str) -> None:
    raised = RedFlags([phrase]).raised_by(Words(phrase))

    assert any(sign.isalnum() for sign in phrase) == raised or not phrase.isascii()


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("I have chest pain", 2),
        ("It bleeds, and I took too many pills", 4),
        ("약을 너무 많이 먹었어요", 4),
        ("I have a cold", 0),
        ("", 0),
    ],
)
def test_the_longest_phrase_that_stands_in_it_is_counted_in_words(said: str, words: int) -> None:
    assert words == FLAGS.longest_in(Words(said))
