"""English words that a patient must not mishear: fifteen is not fifty, and *no* is not silent.

    fˈɪftiːn     fˈɪftˈiːn       espeak-ng puts the one stress of -teen on its first syllable, as in
                                 quick speech: before a unit, fifteen and fifty then differ by a
                                 vowel's length
    nˈoʊ kæfˈiːn nˈoʊ  kˌæfˈiːn  a word that begins without stress is drawn to the *no* before it:
                                 "no caffeine" is heard as one word that nobody knows
    tˈeɪk ˈeɪɾi  tˈeɪk| ˈeɪti    a consonant is drawn to the vowel behind it: "take eighty" is
    ˈeɪt ˈaʊnsᵻz ˈeɪt| ˈaʊnsᵻz   heard as "take K D", "eight ounces" as "A D ounces", and eighty
                                 with a tap in the place of its t as "Eddie"

Somebody who reads out a dose stresses both syllables of -teen, lets *no* stand by itself, without
a pause that would part it from what it denies, and begins each number anew. Pure; it does not know
voices.
"""

# ruff: noqa: RUF001, RUF002 - letters of the phonetic alphabet look like others

import re

JUNCTURE = "|"
"""A moment between two words, shorter than at any mark."""

_TEENS = frozenset(
    ("θɜːtiːn", "foːɹtiːn", "fɔːtiːn", "fɪftiːn", "sɪkstiːn", "sɛvəntiːn", "eɪtiːn", "naɪntiːn")
)
_STRESS = re.compile("[ˈˌ]")
_LATE = "tˈiːn"
_NO = frozenset(("noʊ", "nəʊ"))
_VOWEL = "aeiouyæɑɒɐɔəɚɛɜɪʊʌᵻ"
_EIGHT = "eɪt"
_EIGHTS = frozenset((_EIGHT, "eɪtiːn", "eɪɾi", "eɪti"))
_JOINED = _TEENS | frozenset(
    (
        *("wʌn", "foːɹ", "fɔːɹ", "faɪv", "sɪks", "sɛvən", "eɪt", "naɪn", "tɛn", "ᵻlɛvən"),
        *("ɪlɛvən", "twɛlv", "hʌndɹɪd", "hʌndɹəd", "θaʊzənd", "mɪliən", "pɔɪnt", "maɪnəs"),
        *("ænd", "and", "ən", "ɐn", "æn"),
    )
)
"""Words that end in a consonant and are one with the number behind them; *an* is, with its noun."""
_COUNTING = _EIGHTS | frozenset(("oʊ", "tuː", "tɛn", "ᵻlɛvən", "ɪlɛvən"))
"""Those of the words behind eight that it may be one number with, as in *room 802*."""

_ENDS_CONSONANT = re.compile(f"[^{_VOWEL}ː]$")
_STRONG = re.compile(f"^t?[ˈˌ]?[{_VOWEL}].*")
"""A vowel, or the t that eight ends with."""
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


def apart(phonemes: str) -> str:
    """With a JUNCTURE where a consonant would run into eight, eighteen or eighty, or eight into
    what is counted, and with the t of both: for voices that can make a JUNCTURE short."""
    tokens = phonemes.split(" ")
    bare = [_STRESS.sub("", token) for token in tokens]
    edges = zip(tokens, bare, [*tokens[1:], ""], [*bare[1:], ""], strict=True)
    return " ".join(_tapless(token, *words) + _edge(*words) for token, *words in edges)


def _edge(word: str, following: str, bare: str) -> str:
    """What stands between a word and the one that follows it."""
    begun = bare in _EIGHTS and word not in _JOINED and _ENDS_CONSONANT.search(word)
    stressed = "ˈ" in following or bare == "ɐ"  # eight a m, eight a day
    counted = word == _EIGHT and stressed and bare not in _COUNTING and _STRONG.match(following)
    return JUNCTURE if begun or counted else ""


def _tapless(token: str, word: str, following: str, bare: str) -> str:
    """With a t for a tap of the tongue: in eighty, and before a JUNCTURE.

    Not in eighty milligrams: a t and a nasal make it eighteen.
    """
    eighty = word in _EIGHTS and bare[:1] not in ("m", "n")
    return token.replace("ɾ", "t") if eighty or _edge(word, following, bare) else token


def _teen(token: str) -> str:
    end = "θ" if token.endswith("θ") else ""  # fifteenth
    teen = _STRESS.sub("", token.removesuffix(end)) in _TEENS
    return token.removesuffix(f"tiːn{end}") + _LATE + end if teen and _LATE not in token else token
