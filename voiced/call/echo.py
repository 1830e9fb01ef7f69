"""Did the agent hear itself? Pure.

In a ward without headsets the agent's words come back through the microphone, late and dull, and
the recogniser reads them. What ended while the agent was to be heard, or just after, and repeats
what the agent said, is its echo; the same words from a caller who speaks on are not: "at ten or at
eleven?" is answered with two words of the question, and often before its last sound has died away.
"""

import re
from difflib import SequenceMatcher

from voiced.words import Words

ECHO_S = 0.6
"""Sound of the agent has come back this long after the last of it was sent; nobody has answered by
then with more than a word."""

_ALIKE = 0.75
"""Part of the words that must stand in the agent's, in order; a recogniser misreads some."""

_LEAST_WORDS = 2
"""One word is never taken for an echo: a caller's "no" may stand in what the agent says."""

_WORD = re.compile(r"\w+")


def echoes(heard: Words, said: Words) -> bool:
    """Whether `heard` is a stretch of what the agent `said`, as a microphone brings it back."""
    ours, theirs = _words(said), _words(heard)
    if not ours or len(theirs) < _LEAST_WORDS:
        return False
    matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
    matched = sum(block.size for block in matcher.get_matching_blocks())
    return matched >= _ALIKE * len(theirs)


def _words(text: Words) -> list[str]:
    return _WORD.findall(text.reveal().lower())
