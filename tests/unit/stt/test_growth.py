"""Partials of an utterance that grows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voiced.stt.growth import grown
from voiced.stt.model import Partial
from voiced.words import Words

pytestmark = pytest.mark.unit


def partials(*texts: str | None) -> list[tuple[str, str]]:
    """(stable, tentative) after each pass."""
    found = []
    before: Partial | None = None
    for text in texts:
        before = grown(before, None if text is None else Words(text))
        found.append((before.stable.reveal(), before.tentative.reveal()))
    return found


def test_what_two_passes_agree_on_is_stable() -> None:
    found = partials("I take met", "I take metformin five", "I take metformin 500 milligrams")

    assert [
        ("", "I take met"),
        ("I take", "metformin five"),
        ("I take metformin", "500 milligrams"),
    ] == found


def test_a_mark_that_was_only_the_end_of_the_sound_is_not_stable() -> None:
    found = partials("I have a pain.", "I have a pain in my chest.")

    assert ("I have a pain", "in my chest.") == found[-1]


def test_a_word_that_is_another_in_either_pass_is_not_stable() -> None:
    assert ("I", "taken five") == partials("I take five", "I taken five")[-1]
    assert ("I", "take five") == partials("I taken five", "I take five")[-1]


def test_the_last_word_is_never_stable() -> None:
    """It may go on: "fifteen" begins like "fifty"."""
    assert ("I take", "fift") == partials("I take fift", "I take fift")[-1]


def test_a_pass_that_gave_nothing_changes_nothing() -> None:
    assert ("I", "take") == partials("I take", "I take", None)[-1]
    assert ("", "") == partials(None)[-1]


def test_a_pass_that_reads_otherwise_takes_back_what_was_stable() -> None:
    assert ("", "Eyes ache a lot") == partials("I take it", "I take it", "Eyes ache a lot")[-1]


def test_scripts_without_blanks_are_stable_sign_by_sign() -> None:
    assert ("明日の三", "時です") == partials("明日の三", "明日の三時です")[-1]


def test_korean_is_stable_word_by_word() -> None:
    assert ("네", "알겠습니다") == partials("네 알겠", "네 알겠습니다")[-1]


@given(st.lists(st.text("ab .三", max_size=12).map(str.strip), min_size=1, max_size=4))
def test_stable_and_tentative_are_what_the_last_pass_read(texts: list[str]) -> None:
    stable, tentative = partials(*texts)[-1]

    assert texts[-1].replace(" ", "") == (stable + tentative).replace(" ", "")
    assert texts[-1].startswith(stable)
    assert texts[-1].endswith(tentative)


@given(st.lists(st.text("ab .", max_size=12), min_size=2, max_size=2))
def test_stable_words_stand_in_both_passes(texts: list[str]) -> None:
    stable, _ = partials(*texts)[-1]

    assert texts[0].strip().startswith(stable) or texts[0].startswith(stable)
