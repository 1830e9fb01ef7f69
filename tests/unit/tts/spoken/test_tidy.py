"""The last look: no sign is left that a voice would name, each pause stands once."""

import pytest

from voiced.tts.spoken.characters import NO, even, plain_marks
from voiced.tts.spoken.tidy import tidy

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("rough", "smooth"),
    [
        ("one  ,  two", "one, two"),
        ("one,, two", "one, two"),
        ("one ,. two", "one. two"),
        ("one.. two", "one. two"),
        ("wait...what", "wait. what"),
        ("(see note)", "see note"),
        ("Tylenol (plain) now", "Tylenol, plain, now"),
        ("tablet(s)", "tablets"),
        ('said "stop".', "said stop."),
        ("it's the patients' choice", "it's the patients choice"),
        ("a - b", "a b"),
        ("ten-day", "ten-day"),
        (", one", "one"),
        (".5 mg", ".5 mg"),
        ("-4 Grad", "-4 Grad"),
        (". -- one", "one"),
        ("one,", "one,"),
        ("...", ""),
        ("", ""),
        ("はい。", "はい。"),
    ],
)
def test_pauses_and_signs(rough: str, smooth: str) -> None:
    assert smooth == tidy(rough)


@pytest.mark.parametrize(
    ("written", "evened"),
    [
        ("5\u201310", "5-10"),
        ("\u22125", "-5"),
        ("don\u2019t", "don't"),
        ("1\u00bd", "1 1\u20442 "),
        ("m\u00b2", "m^2"),
        ("10\u207b\u00b3", "10^-3"),
        ("Ca\u00b2\u207a", "Ca2+"),
        ("\uff15\uff10\uff10\uff4d\uff47", "500mg"),
        ("\u0663", "3"),
        ("\u03bcg", "\u00b5g"),
        ("38\u2103", "38\u00b0C"),
        ("ok \U0001f60a", "ok  "),
        ("\u274c Aspirin", f" {NO}  Aspirin"),
        ("ok\u2014but", "ok, but"),
        ("ok \u2013 but", "ok, but"),
        ("5 \u2013 10", "5 - 10"),
    ],
)
def test_signs_that_look_alike_become_one(written: str, evened: str) -> None:
    assert evened == even(written)


def test_other_languages_only_lose_decoration() -> None:
    assert "5\u201310 mg um 8:30 " == plain_marks("5\u201310 mg um 8:30\U0001f60a")
