# ruff: noqa: RUF001 - letters of the phonetic alphabet look like others
"""Words of a clause and the instants at which they are over."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from voiced.tts.alignment import token_of, word_ends

pytestmark = pytest.mark.unit


def test_as_many_tokens_as_words_are_the_words() -> None:
    assert [0, 1, 2] == token_of(["take", "one", "tablet"], ["teɪk", "wʌn", "tæblɪt"])


def test_words_that_are_said_as_one_are_over_together() -> None:
    """espeak-ng says `of the` as one."""
    words = ["the", "end", "of", "the", "corridor"]
    tokens = ["ðɪ", "ɛnd", "ʌvðə", "kɔːɹɪdɔːɹ"]

    assert [0, 1, 2, 2, 3] == token_of(words, tokens)


def test_a_negation_that_is_said_with_its_verb_is_over_with_it() -> None:
    """espeak-ng says `do not` as one; `do` must not be over with `please`."""
    words = ["please", "do", "not", "eat", "anything"]

    assert [0, 1, 1, 2, 3] == token_of(words, ["plˈiːz", "dənˌɑːt", "ˈiːt", "ˈɛnɪθˌɪŋ"])


def test_a_word_that_is_said_as_several_is_over_with_the_last() -> None:
    assert [0, 3, 4] == token_of(["room", "1250", "now"], ["ɹuːm", "twɛlv", "fɪf", "ti", "naʊ"])


def test_marks_and_dashes_belong_to_the_word_they_stand_at() -> None:
    said = [("It's", 0.2), ("open", 0.5), ("until", 0.9), ("eight", 1.2)]

    assert [0.2, 0.9, 0.9, 1.2] == word_ends("It's open—until … eight.", said)


def test_what_was_not_said_is_over_with_what_was() -> None:
    assert [0.2, 0.2] == word_ends("Yes no", [("Yes", 0.2)])


WORD = some.text("abc1'", min_size=1, max_size=4)


@given(some.lists(WORD, min_size=1), some.lists(WORD, min_size=1))
def test_words_are_over_in_order_and_the_last_with_the_last(
    words: list[str], tokens: list[str]
) -> None:
    places = token_of(words, tokens)

    assert sorted(places) == places
    assert len(tokens) - 1 == places[-1]
    assert min(len(tokens), len(words)) == len(set(places))


@given(some.text(max_size=80), some.lists(some.tuples(WORD, some.floats(0, 9)), max_size=9))
def test_every_word_has_an_end_and_none_is_before_the_last(
    clause: str, said: list[tuple[str, float]]
) -> None:
    ends = word_ends(clause, said)

    assert len(clause.split()) == len(ends)
    assert sorted(ends) == ends
