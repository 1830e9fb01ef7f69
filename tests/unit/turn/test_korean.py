"""Korean words: every form of one has the same stem, and other words have others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voiced.turn.korean import stems, verb

pytestmark = pytest.mark.unit

FORMS = [
    "아파요 아파 아픕니다 아팠어요 아프고 아프세요 아프십니다 아프시대요 아프대요 아프다고"
    " 아프셨어요 아픈데요 아프신데 아프시다고요 아프셔서 아픈 아플까요 아프네요 아프다네요"
    " 아파하세요 아프신가요",
    "쉬겠어요 쉬어요 쉬겠어 쉬세요 쉬십니다 쉬신대요 쉬시겠대요 쉬겠다고 쉰다고 쉽니다 쉬는 쉴",
    "없어요 없습니다 없으세요 없으십니다 없으시대요 없다고 없는데요 없으셔요",
    "쓰러졌어요 쓰러지셨어요 쓰러졌는데 쓰러지셨는데요 쓰러지셨대요 쓰러져서",
    "답답해요 답답하세요 답답합니다 답답하시대요 답답한데 답답했어요",
    "멈춰요 멈추지 멈춥니다 멈췄어요 멈추네요",
    "어지러워요 어지럽습니다 어지러우세요 어지럽대요",
]


@pytest.mark.parametrize("forms", FORMS)
def test_a_verb_has_one_stem_whoever_is_honoured_and_however_it_goes_on(forms: str) -> None:
    assert 1 == len({verb(form) for form in forms.split()})


def test_no_two_of_these_verbs_are_taken_for_each_other() -> None:
    assert len(FORMS) == len({verb(forms.split()[0]) for forms in FORMS})


@pytest.mark.parametrize("word", ["가슴", "가슴이", "가슴은", "가슴에서", "가슴도"])
def test_a_noun_loses_its_particle(word: str) -> None:
    assert "가슴" in stems(word)


def test_porridge_is_not_death() -> None:
    """A noun's stem is none of a verb's, though both are written alike."""
    assert stems("죽을").isdisjoint(stems("죽고"))


@given(st.text(min_size=1))
def test_whatever_is_no_korean_word_has_a_stem_too(word: str) -> None:
    assert stems(word)
