"""How long a pause must be, by what is known of it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voiced.config.settings import TurnPace
from voiced.turn.endpoint import Evidence, promises_more, wait_s
from voiced.words import Words

pytestmark = pytest.mark.unit

PACE = TurnPace(endpoint_delay_ms=300, endpoint_ceiling_ms=1200)
DONE = Words("I would like to see a doctor.")


def test_without_any_evidence_the_wait_is_the_ceiling() -> None:
    assert 1.2 == wait_s(Evidence(), PACE)


@pytest.mark.parametrize(
    "text",
    [
        "My number is 555 210",
        "It is 5, 5, 5",
        "I would like to...",
        "On Tuesday,",
        "Thank you,",
        "I was born on the 4th of March.",
        "My date of birth is March 4th",
        "My surname is Hughes, H-U-G.",
        "It is spelled B R O",
        "That's Q.",
        "It's 7.",
        "My insurance number is 440.",
        "The code is 4 4 1 2 0 9",
        "제 번호는 010-1234",
        "010 1234 567",
    ],
)
def test_words_that_promise_more_wait_for_the_ceiling(text: str) -> None:
    assert promises_more(Words(text))
    assert 1.2 == wait_s(Evidence(Words(text), 1.0), PACE)


@pytest.mark.parametrize(
    "text",
    [
        "I take aspirin and",
        "My name is",
        "It hurts when I walk, but",
        "I need to see the",
        "Um",
        "My name is Anna and I was born",
        "I want to speak to whoever",
    ],
)
def test_a_word_that_hardly_ends_a_sentence_waits_unless_the_model_is_sure(text: str) -> None:
    assert promises_more(Words(text))
    assert 1.2 == wait_s(Evidence(Words(text), 0.6), PACE)


@pytest.mark.parametrize(
    "text",
    [
        "Could you tell me where the pharmacy is?",
        "Which pharmacy did you send it to?",
        "I don't know what this medicine is for.",
    ],
)
def test_a_sentence_that_ends_in_such_a_word_all_the_same_does_not(text: str) -> None:
    assert wait_s(Evidence(Words(text), 0.9), PACE) < 0.6


@pytest.mark.parametrize(
    "text",
    [
        "Yes.",
        "No.",
        "Stop.",
        "I would like to see a doctor.",
        "My number is 555 210 9876.",
        "제 번호는 010-1234-5678",
        "The code is 441209.",
        "I am 72.",
        "At 3:30.",
        "네, 알겠습니다.",
        "",
        "I was born on the 4th of March 1951.",
        "My surname is Hughes, H-U-G-H-E-S.",
        "It is on ward B.",
        "I am in room 7.",
        "I live on Station Road, number 47.",
    ],
)
def test_words_that_are_complete_do_not(text: str) -> None:
    assert not promises_more(Words(text))
    assert 0.3 == pytest.approx(wait_s(Evidence(Words(text), 1.0), PACE))


@pytest.mark.parametrize(
    "text",
    [
        "Stop!",
        "네.",
        "Tuesday.",
        "No, thank you.",
        "About three months ago.",
        "Since this morning.",
        "Twice a day.",
        "At half past eight.",
        "In the evening, please.",
        "For two weeks now.",
        "That\u2019s right.",
    ],
)
def test_one_word_that_is_a_turn_by_itself_needs_no_model(text: str) -> None:
    """A model has seen every "yes" go on; a frightened caller must not wait for that."""
    assert 0.3 == pytest.approx(wait_s(Evidence(Words(text), 0.02), PACE))


@pytest.mark.parametrize("text", ["Yes.", "No.", "Hello?", "Okay", "No, I haven't.", "Yes, it is"])
def test_one_that_longer_turns_begin_with_is_given_a_little_more(text: str) -> None:
    """Behind the comma of "no, thank you" callers take a breath."""
    assert 0.525 == pytest.approx(wait_s(Evidence(Words(text), 0.02), PACE))
    assert 0.3 == pytest.approx(wait_s(Evidence(Words(text), 1.0), PACE))


@pytest.mark.parametrize("text", ["The one", "I was", "It is", "I have", "The first time", "One"])
def test_the_beginning_of_a_sentence_is_no_answer(text: str) -> None:
    assert wait_s(Evidence(Words(text), 0.02), PACE) > 1.1


def test_few_words_wait_longer_than_many_unless_the_model_is_sure() -> None:
    """A pause in a short turn is the likelier to be within it."""
    few, some, many = Words("I feel"), Words("I feel quite a bit"), DONE
    waits = [wait_s(Evidence(words, 0.7), PACE) for words in (few, some, many)]

    assert waits == sorted(waits, reverse=True)
    assert len(waits) == len(set(waits))
    assert 0.3 == pytest.approx(wait_s(Evidence(few, 1.0), PACE))


def waited(text: str) -> float:
    return wait_s(Evidence(Words(text), 0.7), PACE)


@pytest.mark.parametrize(("words", "expected"), [(1, 1.0487), (4, 0.759), (9, 0.57), (15, 0.57)])
def test_english_counts_by_the_word(words: int, expected: float) -> None:
    assert expected == pytest.approx(waited(" ".join(["words"] * words)), abs=1e-4)


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("심장내과 예약을 하고 싶어요", "I would need a heart doctor"),
        ("면회 시간이 언제인가요", "When are the visiting hours"),
        ("타이레놀 500mg을 먹었거든요", "I have taken 500 mg paracetamol"),
    ],
)
def test_korean_counts_by_the_syllable(text: str, english: str) -> None:
    """It has some six words where English has ten, and waits as English that says as much."""
    assert waited(english) == pytest.approx(waited(text))


def test_how_a_recogniser_parts_korean_words_makes_no_difference() -> None:
    assert waited("예약을 취소하고 싶은데요") == waited("예약을취소하고싶은데요")


@pytest.mark.parametrize("text", ["我想预约明天上午的心脏科医生", "明日の午前に予約をお願いします"])
def test_a_language_that_parts_no_words_is_not_one_long_word(text: str) -> None:
    assert waited(text) < waited(text[:3]) < waited("word")


@settings(deadline=None)
@given(st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_the_surer_the_shorter_and_never_outside_floor_and_ceiling(one: float, two: float) -> None:
    low, high = sorted((one, two))

    shorter, longer = wait_s(Evidence(DONE, high), PACE), wait_s(Evidence(DONE, low), PACE)
    assert 0.3 - 1e-9 <= shorter <= longer <= 1.2


@settings(deadline=None)
@given(st.text(max_size=200))
def test_any_words_give_an_answer(text: str) -> None:
    assert promises_more(Words(text)) in (True, False)


def test_a_dictated_answer_has_more_time_at_either_end() -> None:
    digits = Words("0 7 9 4 6 0 1 2 3")

    assert 0.95 == pytest.approx(wait_s(Evidence(digits, 1.0), TurnPace(), dictated=True))
    assert 2.5 == wait_s(Evidence(digits, 0.0), TurnPace(), dictated=True)
    assert 2.5 == wait_s(Evidence(), TurnPace(), dictated=True)


def test_who_says_only_no_to_a_question_for_a_number_does_not_dictate() -> None:
    assert 0.3 == pytest.approx(wait_s(Evidence(Words("Stop."), 1.0), TurnPace(), dictated=True))


def test_a_patient_agent_is_no_less_patient_with_dictation() -> None:
    pace = TurnPace(endpoint_ceiling_ms=4000)

    assert 4.0 == wait_s(Evidence(), pace, dictated=True)
