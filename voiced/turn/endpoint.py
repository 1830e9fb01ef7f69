"""How long a pause must be to end the caller's turn. Pure.

A pause is not over or not over: the surer it is that the caller is done, the shorter we wait. What
is known comes in while the pause lasts, and each piece of evidence moves the deadline:

    last voiced sample
    |-- floor --|------------------------------- ceiling --|
                ^ the model is sure, the words end          ^ the words promise more
                          ^ in between, by probability

Words that promise more (a number that is being dictated, "and", "my name is") wait for the ceiling,
whatever a model thinks of them.
"""

import math
import re
from dataclasses import dataclass

from voiced.config.settings import TurnPace
from voiced.words import NOTHING, Words

UNSURE = 0.01
"""A probability of the end at or below this is worth the ceiling."""

SURE = 0.3
"""At or above this it is worth the floor: the rest is spread over many continuations. In between
the wait falls with the logarithm. With the demonstration's model 70 % of complete sentences lie
above it and 2 % of those that go on; below UNSURE it is 2 % and 77 %."""

_SHORT_TURNS = "yes no stop help okay ok thanks goodbye bye hello hi please 네 아니요 예"
_WHOLE = frozenset(_SHORT_TURNS.split())
"""One of these alone is a whole turn, though a language model has seen every one of them go on."""

_OPEN_END = re.compile(
    r"(?:\b(?:and|but|or|because|so|if|the|a|an|my|your|of|to|for|with|at|from|is|um+|uh+|er+"
    r"|my name is|my number is|it is)|,|-|\.\.\.|…)\s*$",
    re.IGNORECASE,
)
_DICTATED = re.compile(r"(?:^|[\s,-])(?:\d[\s,-]*){1,}$")
_MARKS = re.compile(r"[.?!\s]+$")
_FULL_NUMBER = 7
"""Digits at the end of a turn: fewer may be the beginning of a telephone or record number."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of a pause so far."""

    words: Words = NOTHING
    """The caller's turn so far, as it was read; none while it has not been."""
    probability: float | None = None
    """That the turn ends here, by the language model; None while it has not been asked."""


def wait_s(evidence: Evidence, pace: TurnPace) -> float:
    """Seconds from the last voiced sample to the end of the turn, by what is known now."""
    floor_s, ceiling_s = pace.endpoint_delay_ms / 1000, pace.endpoint_ceiling_ms / 1000
    if evidence.probability is None or promises_more(evidence.words):
        return ceiling_s
    if _MARKS.sub("", evidence.words.reveal()).strip().lower() in _WHOLE:
        return floor_s
    sure = math.log(max(evidence.probability, UNSURE) / UNSURE) / math.log(SURE / UNSURE)
    return ceiling_s - (ceiling_s - floor_s) * min(max(sure, 0.0), 1.0)


def promises_more(words: Words) -> bool:
    """The words end where a sentence does not, or in a number that may go on."""
    text = _MARKS.sub("", words.reveal()) if not words.reveal().rstrip().endswith("...") else "..."
    if _OPEN_END.search(text):
        return True
    dictated = _DICTATED.search(text)
    return dictated is not None and 0 < _digits(dictated.group()) < _FULL_NUMBER and _listed(text)


def _digits(text: str) -> int:
    return sum(character.isdigit() for character in text)


def _listed(text: str) -> bool:
    """A number is being dictated: groups of digits stand at the end, not one plain number."""
    return bool(re.search(r"\d[\s,-]+\d+\s*$", text))
