"""How many words of a clause the caller heard, from how much of its sound was played.

Exact where the voice told when it spoke which word; else an estimate, in which time is shared out
by what each word takes to say. Either is rounded down, so that the history never claims a word that
was cut off. It does not know voices, rings or the network.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from voiced.words import NOTHING, Words

_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\s\u3040-\u30ff\u3400-\u9fff]+")
"""A run without spaces; in scripts that write none (Chinese, Japanese), a character."""

_DIGIT = 3.0
"""A digit takes as long to say as three letters."""

_PAUSES = {",": 3.5, ";": 3.5, ":": 3.5, ".": 3.5, "!": 3.5, "?": 3.5}
"""The pause behind a mark, in letters."""

_MARGIN_S = 0.1
"""Against the voice's own durations, the end of a word is estimated with a spread of 0.1 s. So much
later it is believed to be over: then one instant in fifteen claims one word too many, none two."""


@dataclass(frozen=True, slots=True)
class Timed:
    """What a voice was given for a clause, and when each word of that was over."""

    form: Words
    """The spoken form."""
    word_ends: tuple[float, ...] = ()
    """Seconds, one for each run without spaces; empty when the voice did not tell."""

    @property
    def known(self) -> bool:
        return bool(self.word_ends) and len(self.word_ends) == len(self.form.reveal().split())


def words_over(clause: Words, timed: Timed, seconds_heard: float) -> Words:
    """The whole words at the head of `clause` that were over by then; `timed` must be known.

    Written words that became others ("5 mg": "five milligrams") are over when the last of those is.
    """
    text = clause.reveal()
    words = list(re.finditer(r"\S+", text))
    spoken = timed.form.reveal().split()
    end = 0
    for word, over_at in zip(words, _ends(words, spoken, timed.word_ends), strict=True):
        if over_at > seconds_heard:
            break
        end = word.end()
    return Words(text[:end])


def heard_words(clause: Words, seconds_total: float, seconds_heard: float) -> Words:
    """The whole words at the head of `clause` that `seconds_heard` of its `seconds_total` cover.

    A prefix of the clause, without the space behind it; all of it when all was played, none when
    the clause had no sound. Pure; any thread.
    """
    text = clause.reveal()
    if not (seconds_total > 0.0 and seconds_heard > 0.0):
        return NOTHING
    if seconds_heard >= seconds_total:
        return clause
    words = list(_WORD.finditer(text))
    letters = sum(_letters(word.group()) + _pause(word.group()) for word in words)
    heard = letters * (seconds_heard - _MARGIN_S) / seconds_total
    end = 0
    for word in words:
        heard -= _letters(word.group())
        if heard < 0.0:
            break
        end = word.end()
        heard -= _pause(word.group())
    return Words(text[:end])


def _ends(
    words: Sequence[re.Match[str]], spoken: Sequence[str], word_ends: Sequence[float]
) -> list[float]:
    """When each written word is over: with the spoken word that is the same, or with the group."""
    keys = [_key(word.group()) for word in words], [_key(word) for word in spoken]
    found: list[float] = []
    matcher = SequenceMatcher(None, *keys, autojunk=False)
    for kind, begin, end, spoken_begin, spoken_end in matcher.get_opcodes():
        if kind == "equal":
            found += word_ends[spoken_begin:spoken_end]
        else:
            found += [word_ends[spoken_end - 1] if spoken_end else 0.0] * (end - begin)
    return found


def _key(word: str) -> str:
    return "".join(sign for sign in word.casefold() if sign.isalnum())


def _letters(word: str) -> float:
    """How long a word takes to say, in letters."""
    return sum(_DIGIT if sign.isdigit() else float(sign not in _PAUSES) for sign in word)


def _pause(word: str) -> float:
    """The pause behind it, in letters."""
    return _PAUSES.get(word[-1], 0.0)
