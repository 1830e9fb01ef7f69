# ruff: noqa: RUF001, SIM905 (signs of other scripts, words in rows)
"""The tables of written and spoken forms, and what holds for any text."""

import re
import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voiced.tts.spoken import speak

pytestmark = pytest.mark.unit

DATA = Path(__file__).parents[3] / "data"


def table(name: str) -> list[tuple[str, str, str]]:
    """Rows of a table: locale, written form, spoken form. "\\n" stands for a line's end."""
    rows = []
    for line in (DATA / name).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#\t"):
            locale, written, spoken = line.split("\t")
            rows.append((locale, written.replace("\\n", "\n"), spoken))
    return rows


ENGLISH = table("spoken_english.tsv")
KOREAN = table("spoken_korean.tsv")


@pytest.mark.parametrize("row", range(len(ENGLISH)))
def test_english_is_read_as_a_careful_nurse_would(row: int) -> None:
    locale, written, spoken = ENGLISH[row]

    assert spoken == speak(written, locale)


@pytest.mark.parametrize("row", range(len(KOREAN)))
def test_korean_is_read_as_a_careful_nurse_would(row: int) -> None:
    locale, written, spoken = KOREAN[row]

    assert spoken == speak(written, locale)


_MARKUP = re.compile(r"[*_`#>|\[\]<~]|^[-+\d.]|\n|---|  ")


@pytest.mark.parametrize("row", range(len(ENGLISH)))
def test_what_is_set_in_bold_is_read_as_it_is_without(row: int) -> None:
    """Around the whole, around each word, and where only one end is in the clause."""
    locale, written, spoken = ENGLISH[row]
    if _MARKUP.search(written):
        return
    last = written.rsplit(" ", 1)

    assert spoken == speak(f"**{written}**", locale)
    assert spoken == speak(f"**{written}", locale)
    assert spoken == speak(f"{written}**", locale)
    assert spoken == speak(" **".join(last) + "**" * (len(last) - 1), locale)


def test_the_tables_are_large_enough_to_stand_for_their_kinds() -> None:
    assert len(ENGLISH) >= 200
    assert len(KOREAN) >= 60


_CLINICAL = st.sampled_from(
    "0.5 5mg 1-2 < > >= ± 120/80 mmHg b.i.d. q8h 12/03 12/03/2026 8:00 a.m. $49.95 555-012-3456"
    " ** * ` # | _ - + = / % ° . , ( ) [ ] 😊 302B 1/2 ½ tablets 정 번 시 ~ No. Dr. Kim x 😀 \n"
    " 38.5 1,000 1.2.3 2026-03-12 MRN 0048213 A1C ICU \\ \" ' & @ http://a.b ٣ ５ ₩ № ² é".split(
        " "
    )
)
_TEXT = st.one_of(
    st.text(max_size=80),
    st.lists(st.one_of(_CLINICAL, st.just(" ")), max_size=20).map("".join),
)
_LANGUAGE = st.sampled_from(["en", "en-US", "en-GB", "ko", "ko-KR", "de", "ja", "zh", "xx"])


@given(text=_TEXT, language=_LANGUAGE)
def test_any_text_has_a_spoken_form_without_signs(text: str, language: str) -> None:
    """Never raises; nothing is left that a voice would name; "" when there is no word."""
    spoken = speak(text, language)

    assert spoken == spoken.strip()
    assert not set(spoken) & set("*`#|_<>\\~^{}[]@\n")
    assert not spoken or any(char.isalnum() for char in spoken)


@given(text=_TEXT, language=st.sampled_from(["en", "en-US", "ko"]))
def test_digits_become_words(text: str, language: str) -> None:
    """No digit is left, and none goes without a word in its place."""
    spoken = speak(text, language)

    assert not any(char.isdecimal() for char in spoken)
    if any(char in string.digits for char in text):
        assert spoken


_DENIALS = ("not", "no", "never", "don't", "without", "cannot", "nothing")


@given(before=_CLINICAL, denial=st.sampled_from(_DENIALS), after=_CLINICAL)
def test_a_denial_is_never_lost(before: str, denial: str, after: str) -> None:
    spoken = speak(f"{before} {denial} {after}", "en")

    assert re.search(rf"\b{denial}\b", spoken)


@pytest.mark.parametrize("sign", ["<", ">", "<=", ">=", "≤", "≥"])
@pytest.mark.parametrize(
    "value", ["5", "5 mg", "$5", "38.5 °C", "92%", "8:00", "120/80", ".5", "-5"]
)
def test_a_comparison_is_never_lost(sign: str, value: str) -> None:
    for written in (
        f"{sign} {value}",
        f"{sign}{value}",
        f"it is {sign} {value}",
        f"A{sign}{value}",
    ):
        spoken = speak(written, "en")

        assert ("less than" if sign in "<=≤" else "greater than") in spoken


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "1",
        " ",
        "-",
        "*",
        "[",
        "(",
        "<",
        "1,",
        "1.",
        "1-",
        "1/",
        "A1",
        "#",
        ">",
        "_",
        "`",
        "0 ",
    ],
)
def test_a_long_text_takes_no_more_than_its_share(piece: str) -> None:
    """No pattern goes back over what it has read: a text without end is read in its own time."""
    text = (piece * 6_000)[:6_000]

    assert isinstance(speak(text, "en-US"), str)
    assert isinstance(speak(text, "ko-KR"), str)


def test_a_region_of_the_language_tag_counts_as_the_place() -> None:
    assert speak("12/03", "en", "en-GB") == speak("12/03", "en-GB")
    assert speak("12/03", "en-US", "en-GB") == speak("12/03", "en-GB")


@pytest.mark.parametrize("language", ["de", "fr", "es", "ja", "zh"])
def test_other_languages_lose_their_markup_and_keep_their_numbers(language: str) -> None:
    assert "5 mg um 8:30, 120 80" == speak("**5 mg** um 8:30 😊, 120/80", language)
