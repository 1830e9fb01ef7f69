"""English numbers in which a patient must hear the difference: fifteen is not fifty.

espeak-ng puts the one stress of -teen on its first syllable, as in quick speech: before a unit,
fifteen and fifty then differ by a vowel's length. Somebody who reads out a dose stresses both
syllables; so does this. Pure; it does not know voices.
"""

# ruff: noqa: RUF001 - letters of the phonetic alphabet look like others

import re

_TEENS = frozenset(
    ("θɜːtiːn", "foːɹtiːn", "fɔːtiːn", "fɪftiːn", "sɪkstiːn", "sɛvəntiːn", "eɪtiːn", "naɪntiːn")
)
_STRESS = re.compile("[ˈˌ]")
_LATE = "tˈiːn"


def clear(phonemes: str) -> str:
    """espeak-ng's phonemes of English, each -teen with a second stress; all others as they are."""
    return " ".join(_clear(token) for token in phonemes.split(" "))


def _clear(token: str) -> str:
    end = "θ" if token.endswith("θ") else ""  # fifteenth
    teen = _STRESS.sub("", token.removesuffix(end)) in _TEENS
    return token.removesuffix(f"tiːn{end}") + _LATE + end if teen and _LATE not in token else token
