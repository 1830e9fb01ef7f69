"""English words that a patient must not mishear: fifteen is not fifty, and *no* is not silent.

    fˈɪftiːn     fˈɪftˈiːn       espeak-ng puts the one stress of -teen on its first syllable, as in
                                 quick speech: before a unit, fifteen and fifty then differ by a
                                 vowel's length
    nˈoʊ kæfˈiːn nˈoʊ  kˌæfˈiːn  a word that begins without stress is drawn to the *no* before it:
                                 "no caffeine" is heard as one word that nobody knows

Somebody who reads out a dose stresses both syllables of -teen, and lets *no* stand by itself,
without a pause that would part it from what it denies. Pure; it does not know voices.
"""

# ruff: noqa: RUF001, RUF002 - letters of the phonetic alphabet look like others

import re

_TEENS = frozenset(
    ("θɜːtiːn", "foːɹtiːn", "fɔːtiːn", "fɪftiːn", "sɪkstiːn", "sɛvəntiːn", "eɪtiːn", "naɪntiːn")
)
_STRESS = re.compile("[ˈˌ]")
_LATE = "tˈiːn"
_NO = frozenset(("noʊ", "nəʊ"))
_VOWEL = "aeiouyæɑɒɐɔəɚɛɜɪʊʌᵻ"
_UNSTRESSED = re.compile(f"^([^ˈˌ{_VOWEL}]*)(?=[{_VOWEL}].*ˈ)")
"""The consonants with which a word begins whose stress is on a later syllable."""


def clear(phonemes: str) -> str:
    """espeak-ng's phonemes of English, so that no number is another and no *no* is lost.

    Behind *no* stands a second space: the edge of a word, which some voices give a moment.
    """
    tokens = [_teen(token) for token in phonemes.split(" ")]
    said: list[str] = []
    denied = False
    for token in tokens:
        if denied and token:
            said += ["", _UNSTRESSED.sub(r"\1ˌ", token, count=1)]
        else:
            said.append(token)
        denied = _STRESS.sub("", token) in _NO
    return " ".join(said)


def _teen(token: str) -> str:
    end = "θ" if token.endswith("θ") else ""  # fifteenth
    teen = _STRESS.sub("", token.removesuffix(end)) in _TEENS
    return token.removesuffix(f"tiːn{end}") + _LATE + end if teen and _LATE not in token else token
