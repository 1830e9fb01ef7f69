# ruff: noqa: RUF001 - letters of the phonetic alphabet look like others
"""From espeak-ng's phonemes to Kokoro's."""

import pytest

from voiced.tts.kokoro_symbols import ACCENTS

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("espeak", "kokoro"),
    [
        ("ʃˈʊɹ aɪ kˈæn", "ʃˈʊɹ I kˈæn"),
        ("tˈuːzdeɪ", "tˈuzdA"),
        ("θˈɜːɾi nˈɜːs bˈɜːd", "θˈɜɹTi nˈɜɹs bˈɜɹd"),
        ("dʒˈʌdʒ tʃˈɜːtʃ", "ʤˈʌʤ ʧˈɜɹʧ"),
        ("ɡˌoʊ nˈoʊ", "ɡˌO nˈO"),
        ("bˈʌʔn̩", "bˈʌtᵊn"),
        ("lˈɪɾəl", "lˈɪTᵊl"),
        ("dˈɑːktɚ", "dˈɑktəɹ"),
        ("kˈaʊ ˈɔɪl", "kˈW ˈYl"),
    ],
)
def test_american(espeak: str, kokoro: str) -> None:
    assert kokoro == ACCENTS["a"].symbols(espeak)


@pytest.mark.parametrize(
    ("espeak", "kokoro"), [("nˈəʊ", "nˈQ"), ("wˈɔːtə", "wˈɔːtə"), ("hˈiə", "hˈɪə")]
)
def test_british(espeak: str, kokoro: str) -> None:
    assert kokoro == ACCENTS["b"].symbols(espeak)


def test_other_languages_keep_what_they_have_and_accents_stand_apart() -> None:
    assert "bˈɔ̃ vˈɛ̃" == ACCENTS["f"].symbols("bˈɔ̃ vˈɛ̃")
    assert "ʧiko" == ACCENTS["e"].symbols("tʃiko")


@pytest.mark.parametrize("accent", ACCENTS)
def test_spaces_stay_where_they_are(accent: str) -> None:
    """They part the tokens by which words are timed."""
    phonemes = "ˈaɪ tʃəl oʊ bʌʔn̩ eə"

    assert phonemes.count(" ") == ACCENTS[accent].symbols(phonemes).count(" ")
