# ruff: noqa: RUF001 - letters of the phonetic alphabet look like others
"""Fifteen is said so that nobody hears fifty, and *no* so that nobody misses it."""

import pytest

from voiced.tts.clarity import apart, clear

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


@pytest.mark.parametrize(
    ("espeak", "said"),
    [
        ("tˈeɪk ˈeɪɾi jˈuːnɪts", "tˈeɪk| ˈeɪti jˈuːnɪts"),
        ("wˈʌn hˈʌndɹɪd ænd ˈeɪɾi", "wˈʌn hˈʌndɹɪd ænd ˈeɪti"),
        ("ɪn ˈeɪtˈiːn dˈeɪz", "ɪn| ˈeɪtˈiːn dˈeɪz"),
        ("tˈeɪk ˈeɪt tˈæbləts", "tˈeɪk| ˈeɪt| tˈæbləts"),
        ("ˈeɪt ˈaʊnsᵻz", "ˈeɪt| ˈaʊnsᵻz"),
        ("kˈʌm æɾ ˈeɪt ɐ ˈɛm", "kˈʌm æt| ˈeɪt| ɐ ˈɛm"),
        ("tˈeɪk ˈeɪt dɹˈɑːps", "tˈeɪk| ˈeɪt dɹˈɑːps"),
    ],
)
def test_no_consonant_runs_into_eight_or_out_of_it(espeak: str, said: str) -> None:
    """ "Take eighty" must not be "take K D", eight ounces not "A D ounces", eighty not "Eddie"."""
    assert said == apart(espeak)


@pytest.mark.parametrize(
    "phonemes",
    [
        "wˈʌn hˈʌndɹɪd ˈeɪt",
        "ˈeɪɾi mˈɪlɪɡɹˌæmz",
        "wˈʌn hˈʌndɹɪd ænd ˈeɪt",
        "twˈɛnti ˈeɪt",
        "tˈuː pˈɔɪnt ˈeɪt",
        "nˈaɪntˈiːn ˈeɪti",
        "ˈeɪt hˈʌndɹɪd",
        "ˈeɪt ˈoʊ tˈuː",
        "ˈeɪt tˈɛn",
        "ˈeɪt tə tˈɛn",
        "ðɪ ˈeɪtθ ʌv mˈɑːɹtʃ",
        "tˈeɪk ˈæspɹɪn",
        "ˈeɪt",
        "",
        "nˈoʊ  ˈeɪt",
    ],
)
def test_what_is_one_number_stays_together(phonemes: str) -> None:
    """Twenty eight is not twenty, and eight; eighty milligrams, with a t, would be eighteen; other
    words run on as people say them."""
    assert phonemes == apart(phonemes)
