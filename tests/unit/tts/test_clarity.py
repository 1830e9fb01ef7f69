# ruff: noqa: RUF001 - letters of the phonetic alphabet look like others
"""Fifteen is said so that nobody hears fifty, and *no* so that nobody misses it."""

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


@pytest.mark.parametrize(
    ("espeak", "said"),
    [
        ("nˈoʊ kæfˈiːn ˈæftɚ", "nˈoʊ  kˌæfˈiːn ˈæftɚ"),
        ("nˌoʊ ɐspɹˈɪn", "nˌoʊ  ˌɐspɹˈɪn"),
        ("ðɛɹ ɪz nˈoʊ fˈiːvɚ", "ðɛɹ ɪz nˈoʊ  fˈiːvɚ"),
        ("nˈoʊ ˌɪntɚfˈɪɹəns", "nˈoʊ  ˌɪntɚfˈɪɹəns"),
        ("nˈoʊ fɪftˈiːn", "nˈoʊ  fˌɪftˈiːn"),
        ("nˈəʊ kæfˈiːn", "nˈəʊ  kˌæfˈiːn"),
        ("aɪ sˈɛd nˈoʊ", "aɪ sˈɛd nˈoʊ"),
        ("nˈoʊɾɪs kæfˈiːn", "nˈoʊɾɪs kæfˈiːn"),
    ],
)
def test_no_stands_by_itself_and_the_word_behind_it_begins_clearly(espeak: str, said: str) -> None:
    """ "No caffeine" must not be "nokafeen"; a pause would part what belongs together."""
    assert said == clear(espeak)
