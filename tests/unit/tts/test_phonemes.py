# ruff: noqa: RUF001 - marks of other scripts look like ASCII
"""From a clause to the numbers that the voice takes."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from voiced.ops import metrics
from voiced.tts.phonemes import PIECE_CHARACTERS, Phrase, known, numbers, pieces, said, symbols

pytestmark = pytest.mark.unit

ID_MAP = {"_": [0], "^": [1], "$": [2], " ": [3], ",": [8], ".": [10], "a": [14], "i": [18]}


@pytest.mark.parametrize(
    "text", ["", " ", "\n", "...", "—", "😊", "**", "?!", "- - -", "\u200b", "👍🏽", "()", "•"]
)
def test_what_nobody_can_say_has_no_pieces(text: str) -> None:
    assert [] == pieces(text)


def test_a_sentence_is_a_piece_and_its_phrases_keep_their_marks() -> None:
    assert [
        (Phrase("Take one tablet", ","), Phrase("twice a day", ".")),
        (Phrase("Not more", "!"),),
        (Phrase("Is that clear", "?"),),
    ] == pieces("Take one tablet, twice a day. Not more! Is that clear?")


def test_marks_inside_numbers_times_and_words_end_nothing() -> None:
    assert [(Phrase("At 10:30 take 2.5 of 1,000 e.g", ","), Phrase("don't wait", ""))] == pieces(
        "At 10:30 take 2.5 of 1,000 e.g, don't wait"
    )


def test_letters_with_points_in_the_middle_of_a_sentence_end_nothing() -> None:
    assert [(Phrase("At 3 p.m. on Monday", "."),)] == pieces("At 3 p.m. on Monday.")
    assert [(Phrase("At 3 p.m", "."),), (Phrase("Not on Monday", "."),)] == pieces(
        "At 3 p.m. Not on Monday."
    )


def test_a_mark_in_front_of_a_closing_quote_ends_its_phrase() -> None:
    assert [(Phrase("He said", ","), Phrase("no", ".")), (Phrase("Then left", ""),)] == pieces(
        'He said, "no." Then left'
    )


def test_dashes_between_words_are_pauses_and_inside_words_are_not() -> None:
    assert [
        (Phrase("Well", ";"), Phrase("check", ";"), Phrase("up", ";"), Phrase("follow-up", ""))
    ] == pieces("Well — check – up - follow-up")


def test_markdown_and_emoji_between_words_are_not_said() -> None:
    assert [(Phrase("Do not stop", "."),)] == pieces("**Do** _not_ 😊 stop.")


def test_marks_of_other_scripts_count() -> None:
    assert [(Phrase("안녕하세요", "."),), (Phrase("네", "?"),)] == pieces("안녕하세요。네？")


def test_a_sentence_that_is_too_long_is_cut_between_words() -> None:
    words = [f"word{number}" for number in range(120)]
    found = pieces(" ".join(words))

    assert words == [word for piece in found for phrase in piece for word in phrase.text.split()]
    assert len(found) > 2
    assert PIECE_CHARACTERS >= max(sum(len(p.text) for p in piece) for piece in found)


@given(some.text(some.characters(codec="utf-8"), max_size=600))
def test_every_letter_and_digit_is_said_once_and_in_order(text: str) -> None:
    """Whatever the text, no letter is lost, and no piece is too long or empty."""
    found = pieces(text)
    said = "".join(phrase.text for piece in found for phrase in piece)

    assert [c for c in text if c.isalnum()] == [c for c in said if c.isalnum()]
    for piece in found:
        assert sum(len(phrase.text) for phrase in piece) <= PIECE_CHARACTERS
        assert all(any(c.isalnum() for c in phrase.text) for phrase in piece)


def test_marks_are_put_back_between_the_phonemes() -> None:
    assert "ONE, TWO." == symbols(said((Phrase("one", ","), Phrase("two", ".")), str.upper))


def test_a_clause_that_goes_on_ends_with_a_pause() -> None:
    assert "ONE, " == symbols(said((Phrase("one", ","),), str.upper))


def test_a_phrase_that_has_no_phonemes_leaves_no_mark() -> None:
    assert "TWO." == symbols(
        said((Phrase("one", ","), Phrase("two", ".")), {"one": "", "two": "TWO"}.__getitem__)
    )


def test_numbers_begin_stand_apart_and_end() -> None:
    assert [1, 0, 14, 0, 8, 0, 3, 0, 18, 0, 2] == numbers("a, i", ID_MAP)


def test_a_symbol_that_the_voice_never_heard_is_left_out_and_counted() -> None:
    before = metrics.SYMBOLS_SKIPPED._value.get()

    assert "ai" == known("aʘi", ID_MAP)
    assert before + 1 == metrics.SYMBOLS_SKIPPED._value.get()
