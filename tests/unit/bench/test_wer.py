"""Word error rate."""

import pytest

from voiced.bench import wer

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("reference", "heard", "wrong", "words"),
    [
        ("yes", "Yes.", 0, 1),
        ("the dose for an adult", "The days for an adult.", 1, 5),
        ("one two three", "one three", 1, 3),
        ("one two", "one and two", 1, 2),
        ("", "word", 1, 0),
        ("word", "", 1, 1),
    ],
)
def test_errors_are_changed_lost_and_added_words(
    reference: str, heard: str, wrong: int, words: int
) -> None:
    assert (wrong, words) == wer.errors(reference, heard)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("ten minims", "10 minims"),
        ("five hundred milligrams", "500 milligrams"),
        ("one thousand two hundred thirty four", "1,234"),
        ("one zero zero zero one nine oh two one", "100019021"),
        ("zero three", "03"),
        ("twenty five", "25"),
        ("i do not know", "I don't know!"),
        ("mister quilter", "Mr. Quilter"),
        ("let us go", "Let\u2019s go"),
        ("god bless 'em", "God bless them."),
        ("six times ten", "6 times 10"),
    ],
)
def test_ways_of_writing_the_same_are_the_same(a: str, b: str) -> None:
    assert wer.fold(a) == wer.fold(b)


def test_oh_is_zero_only_among_digits() -> None:
    assert ["oh", "my"] == wer.fold("Oh my")
