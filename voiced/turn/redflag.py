"""Does the caller name an emergency? Pure.

Phrases are the site's: "chest pain", "can't breathe". One is raised by its words in their order,
whatever their case, punctuation and ending ("chest pains", "can not breathe"; for Korean see
`korean`), with one other word between two of them at most. It does not understand: "no chest pain"
raises it too, since a person should judge that.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import chain

from voiced.turn import korean
from voiced.words import Words

_FILLERS = """um uh er ah like really even just so very quite a an the my his her our your any some
    너무 정말 진짜 좀 계속 막 제 우리"""
_SKIPPED = frozenset(_FILLERS.split())
"""Words that say nothing here: they stand between others without parting them."""

_BETWEEN = 1
"""Other words between two of a phrase."""

_CONTRACTED = {
    "cannot": "can not",
    "cant": "can not",
    "wont": "will not",
    "dont": "do not",
    "doesnt": "does not",
    "didnt": "did not",
    "isnt": "is not",
    "couldnt": "could not",
    "shant": "shall not",
    "ca not": "can not",
    "wo not": "will not",
    "im": "i am",
    "ive": "i have",
    "hes": "he is",
    "shes": "she is",
}
_NOT = re.compile(r"(?<=\w)n't\b")
_WORD = re.compile(r"[^\W_]+")
_ENGLISH_ENDING = re.compile(r"(?<=[a-z]{3})(?:ings?|ed|es|s|e|ly)$")
_DOUBLED = re.compile(r"([bdfgmnprt])\1$")

_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
"""Scripts that are written without spaces, or that a recogniser spaces as it likes."""

_NEGATED = re.compile(r"\b(못|안)(?=[\uac00-\ud7a3]{2})")
"""Written together with the verb that it denies, or not."""

_Stems = frozenset[str]
"""What a word may be a form of; two words are the same where these have one in common."""


class RedFlags:
    """The phrases of an agent, in all its languages."""

    def __init__(self, phrases: Iterable[str]) -> None:
        given = tuple(phrases)
        self._phrases = tuple(filter(None, (_stems(phrase) for phrase in given)))
        unspaced = {_solid(one, ending=False): one for one in given if _UNSPACED.search(one)}
        self._solid = {solid: len(one.split()) for solid, one in unspaced.items() if solid}

    def raised_by(self, words: Words) -> bool:
        """Whether one of the phrases stands in what was said."""
        return self.longest_in(words) > 0

    def longest_in(self, words: Words) -> int:
        """Words of the longest phrase that stands in what was said; 0: none does."""
        said = _stems(words.reveal())
        joined = _solid(words.reveal(), ending=True) if self._solid else ""
        stems = (len(phrase) for phrase in self._phrases if _stands_in(phrase, said))
        solid = (length for one, length in self._solid.items() if one in joined)
        return max(chain(stems, solid), default=0)


def _stands_in(phrase: Sequence[_Stems], said: Sequence[_Stems]) -> bool:
    return any(_goes_on(phrase, said, begin) for begin in range(len(said)))


def _goes_on(phrase: Sequence[_Stems], said: Sequence[_Stems], begin: int) -> bool:
    """The phrase begins exactly there; the rest of it may have words between."""
    if said[begin].isdisjoint(phrase[0]):
        return False
    if len(phrase) == 1:
        return True
    nearest = range(begin + 1, min(begin + 2 + _BETWEEN, len(said)))
    return any(_goes_on(phrase[1:], said, place) for place in nearest)


def _stems(text: str) -> list[_Stems]:
    """The words that count, without their endings; a phrase of nothing else keeps its words."""
    words = _WORD.findall(_NEGATED.sub(r"\1 ", _plain(text)))
    return [_stem(word) for word in words if word not in _SKIPPED] or [_stem(w) for w in words]


def _plain(text: str) -> str:
    """Lower case, and contractions written out."""
    text = unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'")
    text = _NOT.sub(" not", text).replace("'", "")
    text = re.sub(r"\b(?:ca|wo) not\b", lambda found: _CONTRACTED[found.group()], text)
    return re.sub(r"\b\w+\b", lambda found: _CONTRACTED.get(found.group(), found.group()), text)


def _stem(word: str) -> _Stems:
    if korean.HANGUL.search(word):
        return korean.stems(word)
    return frozenset([_DOUBLED.sub(r"\1", _ENGLISH_ENDING.sub("", word))])


def _solid(text: str, *, ending: bool) -> str:
    """The text without spaces and marks; a phrase also without the ending of its last word."""
    words = _WORD.findall(_plain(text))
    if words and not ending and words[-1].endswith("요") and len(words[-1]) > 1:
        words[-1] = korean.verb(words[-1])
    return unicodedata.normalize("NFD", "".join(words))


NO_FLAGS = RedFlags(())
