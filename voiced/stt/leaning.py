"""In which of the agent's languages a caller speaks: decided turn by turn, and not by one odd word.

    turn         "Hello?"   "네."      "안녕하세요, 내과가 몇 층인가요?"     "Thank you."
    seems        en         ko .6      ko .98                              en .7
    voiced       0.4 s      0.4 s      2.1 s                               0.5 s
    held in      en         en         ko                                  ko

A recogniser that is asked which language it hears guesses among a hundred, and of a word or two it
guesses badly. So only the agent's languages count, only of a turn that is long enough to tell; and
where it is not sure, the next turn has to say the same. Pure. It does not know sound or models.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

_LEAST_S = 1.0
"""Voiced seconds below which a turn tells nothing: a word sounds like one of many languages."""

_SURE_S = 1.5
_SURE = 0.9
"""So much speech, of which so much of the likelihood is one language's: it is that language."""

_LIKELY = 0.7
"""The same for a turn that needs another one behind it to agree."""

_OURS = 0.5
"""The least that the agent's languages have together of all: else it was none of them, or noise."""


@dataclass(frozen=True, slots=True)
class Leaning:
    """What is known of a caller's language."""

    language: str
    """In which the call is held."""
    among: tuple[str, ...]
    """The agent's."""
    towards: str = ""
    """Another one of them, which the turn before seemed to be in."""

    def after(self, likely: Mapping[str, float], voiced_s: float) -> "Leaning":
        """The same after one more turn. `likely`: each language by the recogniser, of all that it
        knows."""
        ours = {language: likely.get(language, 0.0) for language in self.among}
        total = sum(ours.values())
        if voiced_s < _LEAST_S or total < _OURS:
            return self
        language = max(ours, key=lambda one: (ours[one], one == self.language))
        part = ours[language] / total
        if part < _LIKELY:
            return self
        if language == self.language:
            return replace(self, towards="")
        if language == self.towards or (part >= _SURE and voiced_s >= _SURE_S):
            return replace(self, language=language, towards="")
        return replace(self, towards=language)


class Leanings:
    """One call's, over its turns.

    A turn may be read several times, since its end was guessed too soon: each time it is weighed
    anew against what was known before it. And what is read of a turn counts once its words do.
    """

    def __init__(self, first: Leaning) -> None:
        self._known = first
        self._before = first
        self._turn = -1
        """The newest one that counts."""
        self._read: Leaning | None = None

    def before(self, turn: int) -> Leaning | None:
        """What a turn is weighed against; None where the agent has but one language."""
        known = self._before if turn == self._turn else self._known
        return known if len(known.among) > 1 else None

    def read(self, leaning: Leaning | None) -> None:
        """What the newest reading has led to."""
        self._read = leaning or self._read

    def counts(self, turn: int) -> str:
        """The words that were read last are the caller's turn: the language of the call now."""
        if self._read is not None:
            if turn != self._turn:
                self._before, self._turn = self._known, turn
            self._known, self._read = self._read, None
        return self._known.language
