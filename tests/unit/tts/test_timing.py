"""What the caller heard of a clause."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from voiced.tts.timing import Timed, heard_words, words_over
from voiced.words import NOTHING, Words

pytestmark = pytest.mark.unit

CLAUSE = Words("Please do not take the tablet.")


def test_all_of_a_clause_that_was_played_was_heard() -> None:
    assert CLAUSE == heard_words(CLAUSE, 2.0, 2.0)
    assert CLAUSE == heard_words(CLAUSE, 2.0, 2.5)


def test_nothing_was_heard_of_what_was_not_played() -> None:
    assert NOTHING == heard_words(CLAUSE, 2.0, 0.0)
    assert NOTHING == heard_words(CLAUSE, 2.0, -1.0)
    assert NOTHING == heard_words(CLAUSE, 0.0, 1.0)


def test_a_word_that_was_cut_is_not_heard() -> None:
    """'Please' 6 'do' 2 'not' 3 'take' 4 'the' 3 'tablet' 6 letters, the end's pause 3.5; and the
    margin of 0.1 s."""
    assert Words("Please do") == heard_words(CLAUSE, 27.5, 11.0)
    assert Words("Please do not") == heard_words(CLAUSE, 27.5, 11.2)


def test_a_word_is_heard_before_the_pause_behind_it() -> None:
    clause = Words("Yes, no")

    assert NOTHING == heard_words(clause, 8.5, 3.0)
    assert Words("Yes,") == heard_words(clause, 8.5, 3.2)
    assert Words("Yes,") == heard_words(clause, 8.5, 8.4)


def test_a_number_takes_longer_than_its_signs() -> None:
    assert Words("At") == heard_words(Words("At 555 now"), 14.0, 11.0)
    assert Words("At 555") == heard_words(Words("At 555 now"), 14.0, 11.2)


def test_a_script_without_spaces_is_heard_by_characters() -> None:
    assert Words("明日の") == heard_words(Words("明日の朝九時"), 6.0, 3.5)


@given(some.text(max_size=60), some.floats(0.0, 1.0), some.floats(0.0, 1.0))
def test_more_playing_is_never_less_heard(text: str, one: float, other: float) -> None:
    """What was heard is a prefix of the clause, and grows with time."""
    less, more = sorted((one, other))
    before = heard_words(Words(text), 1.0, less).reveal()
    after = heard_words(Words(text), 1.0, more).reveal()

    assert text.startswith(after)
    assert after.startswith(before)


def timed(form: str, *word_ends: float) -> Timed:
    return Timed(Words(form), word_ends)


def test_a_word_whose_end_was_played_was_heard() -> None:
    told = timed("Please do not take the tablet.", 0.3, 0.4, 0.6, 0.8, 0.9, 1.3)

    assert NOTHING == words_over(CLAUSE, told, 0.29)
    assert Words("Please do not") == words_over(CLAUSE, told, 0.6)
    assert Words("Please do not") == words_over(CLAUSE, told, 0.79)
    assert CLAUSE == words_over(CLAUSE, told, 1.3)


def test_a_written_word_is_heard_when_the_last_of_its_spoken_words_was() -> None:
    """'5 mg' became three words, and none of the two is claimed before all three are over."""
    clause = Words("Take 2.5 mg now.")
    told = timed("Take two point five milligrams now.", 0.2, 0.4, 0.6, 0.8, 1.4, 1.7)

    assert Words("Take") == words_over(clause, told, 1.39)
    assert Words("Take 2.5 mg") == words_over(clause, told, 1.4)
    assert clause == words_over(clause, told, 1.7)


def test_signs_that_nobody_says_are_heard_with_the_word_before() -> None:
    told = timed("Yes until eight.", 0.2, 0.5, 0.8)

    assert Words("**Yes** —") == words_over(Words("**Yes** — until eight."), told, 0.3)


def test_times_that_do_not_fit_the_words_are_not_known() -> None:
    assert timed("One two", 0.1, 0.2).known
    assert not timed("One two", 0.1).known
    assert not timed("One two").known


@given(some.text(max_size=60), some.text(max_size=60), some.floats(0, 20))
def test_what_was_heard_is_the_head_of_the_clause(text: str, form: str, at: float) -> None:
    ends = [float(number) for number, _ in enumerate(form.split(), start=1)]
    found = words_over(Words(text), timed(form, *ends), at).reveal()

    assert text.startswith(found)
