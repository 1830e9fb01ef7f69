# ruff: noqa: RUF001 - letters of the phonetic alphabet look like others
"""Fifteen is said so that nobody hears fifty."""

import pytest

from voiced.tts.clarity import clear

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("espeak", "said"),
    [
        ("fˈɪftiːn mˈɪlɪɡɹˌæmz", "fˈɪftˈiːn mˈɪlɪɡɹˌæmz"),
        ("θˈɜːtiːn", "θˈɜːtˈiːn"),
        ("wˈʌn hˈʌndɹɪd ˌeɪtiːn", "wˈʌn hˈʌndɹɪd ˌeɪtˈiːn"),
        ("fˈɔːtiːn dˈeɪz", "fˈɔːtˈiːn dˈeɪz"),
        ("ðə sˈɛvəntiːnθ", "ðə sˈɛvəntˈiːnθ"),
        ("nˌaɪntˈiːn", "nˌaɪntˈiːn"),
    ],
)
def test_each_teen_has_both_its_stresses(espeak: str, said: str) -> None:
    assert said == clear(espeak)


@pytest.mark.parametrize("phonemes", ["fˈɪfti", "pɹˈoʊtiːn", "kæntˈiːn", "tiːn", "", "a  b"])
def test_everything_else_stays_as_it_is(phonemes: str) -> None:
    assert phonemes == clear(phonemes)
