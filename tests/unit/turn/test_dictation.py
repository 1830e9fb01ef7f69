"""Questions whose answers are dictated."""

import pytest

from voiced.turn.dictation import asks_for_dictation
from voiced.words import Words

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    "said",
    [
        "What is your phone number?",
        "Thank you. May I have your date of birth, please? Take your time.",
        "When were you born?",
        "Please tell me your street and house number.",
        "And the postcode?",
        "Could you spell your last name for me?",
        "How do you spell that?",
        "I'll need your insurance number.",
        "What\u2019s the best address for you?",
        "전화번호를 말씀해 주세요.",
        "생년월일이 어떻게 되세요?",
        "주소가 어떻게 되시나요?",
        "우편번호를 알려 주시겠어요?",
        "성함의 철자를 말씀해 주세요.",
    ],
)
def test_numbers_addresses_and_spellings_are_dictated(said: str) -> None:
    assert asks_for_dictation(Words(said))


@pytest.mark.parametrize(
    "said",
    [
        "",
        "How can I help you?",
        "Our phone number is 555 0123.",
        "Please call 555 0123, it is the number of the ward.",
        "We have your number.",
        "I have noted your address. What else can I do for you?",
        "Is it the left arm or the right one?",
        "저희 번호는 555-0123입니다.",
        "무엇을 도와드릴까요?",
    ],
)
def test_other_questions_are_answered_in_a_sentence(said: str) -> None:
    assert not asks_for_dictation(Words(said))
