"""How many words of a clause the caller heard, from how much of its sound was played.

An estimate: no voice tells when it speaks which word, so time is shared out by what each word takes
to say. It is rounded down, so that the history never claims a word that was cut off. It does not
know voices, rings or the network.
"""

import re

from voiced.words import NOTHING, Words

_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\s\u3040-\u30ff\u3400-\u9fff]+")
"""A run without spaces; in scripts that write none (Chinese, Japanese), a character."""

_DIGIT = 4.0
"""A digit is a spoken word of about four letters."""

_MARKS = {",": 2.0, ";": 3.0, ":": 3.0, ".": 4.0, "!": 4.0, "?": 4.0}
"""The pause at a mark, in letters."""


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
    heard = sum(_letters(word.group()) for word in words) * seconds_heard / seconds_total
    end = 0
    for word in words:
        heard -= _letters(word.group())
        if heard < 0.0:
            break
        end = word.end()
    return Words(text[:end])


def _letters(word: str) -> float:
    """How long a word takes to say, in letters."""
    return sum(_DIGIT if mark.isdigit() else _MARKS.get(mark, 1.0) for mark in word)
