"""Markup: what a reader would see is what is said, and lines end with a pause."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voiced.tts.spoken.markdown import plain

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        ("**Take two** tablets.", "Take two tablets."),
        ("**Take two", "Take two"),
        ("tablets** now", "tablets now"),
        ("***really***", "really"),
        ("_never_ and __never__", "never and never"),
        ("snake_case", "snake_case"),
        ("# Plan", "Plan"),
        ("#5 is next", "#5 is next"),
        ("- with food\n", "with food."),
        ("- one\n- two\n", "one. two."),
        ("- [ ] call", "call"),
        ("-5 degrees", "-5 degrees"),
        ("1. Take", "1. Take"),
        ("> Rest well.", "Rest well."),
        ("> 5 mg", "> 5 mg"),
        (">= 38.5", ">= 38.5"),
        ("[leaflet](https://example.org/a_b)", "leaflet"),
        ("![a cat](cat.png)", "a cat"),
        ("leaflet](https://example.org/a_b)", "leaflet"),
        ("<https://example.org>", "https://example.org"),
        ("one<br>two", "one. two"),
        ("<b>no</b> <5", "no <5"),
        ("`code`", "code"),
        ("```python\n", ""),
        ("~~~\n", ""),
        ("---", ""),
        ("***", ""),
        ("| a | b |", "a, b"),
        ("| a | b |\n", "a, b."),
        ("|---|:-:|\n", ""),
        ("~~Stop~~ Go", "Stop Go"),
        ("2 * 3 = 6", "2 × 3 = 6"),  # noqa: RUF001
        ("2*3", "2 × 3"),  # noqa: RUF001
        ("2**3", "2^3"),
        ("take *3* tablets", "take 3 tablets"),
        ("take 2 *5 mg* tablets", "take 2 5 mg tablets"),
        ("Call **555-012-3456**.", "Call 555-012-3456."),
        ("nimm **2 Tabletten**", "nimm 2 Tabletten"),
        ("note[^1] here", "note here"),
        (r"1\. Take \*", "1. Take"),
        ("Steps:\n", "Steps:"),
        ("네\n", "네."),
    ],
)
def test_markup_is_not_said(written: str, seen: str) -> None:
    assert seen == plain(written)


@given(st.text("ab1 *_`#>-+|[]()!\n~<\\", max_size=60))
def test_no_letter_or_digit_outside_links_and_tags_is_lost(text: str) -> None:
    if any(sign in text for sign in ("](", "[a", "[b", "[1", "[]", "<a", "<b", "``", "~~~")):
        return

    assert [c for c in text if c.isalnum()] == [c for c in plain(text) if c.isalnum()]
