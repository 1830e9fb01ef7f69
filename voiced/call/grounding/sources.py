"""What one call's agent was told, and by it which clauses may be spoken.

The site's own words are read once, when the agent is loaded; a call's are read as they come. It
does not know where they come from.
"""

import json
import re
from collections.abc import Iterable, Iterator, Set
from dataclasses import astuple, dataclass, replace

from voiced.call.grounding import english, korean
from voiced.call.grounding.claims import Claim, Kind, name
from voiced.config.agent import Agent
from voiced.tts.spoken import speak

_INSTANT = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?")
_JOINED = re.compile(r"\d+(?:[:/.,-]\d+)+")
"""Figures that are one thing together, a time or a date, and no numbers by themselves."""

_MODULES = {"en": english, "ko": korean}


@dataclass(frozen=True, slots=True)
class Sources:
    """What may be said. A source adds to it, and nothing is ever taken away."""

    language: str
    """Of the call: "en" or "ko"."""
    locale: str | None = None
    known: frozenset[Claim] = frozenset()

    def site(self, texts: Iterable[str]) -> "Sources":
        """With what the site wrote: prompt, fixed lines, hints."""
        return self._with(offer for text in texts for offer in self.offered(text, loose=False))

    def told(self, text: str) -> "Sources":
        """With what the caller said, or what a tool returned, whose numbers may stand alone."""
        return self._with(one for part in parts(text) for one in self.offered(part, loose=True))

    def ungrounded(self, form: str, told: Set[Claim] = frozenset()) -> tuple[Kind, ...]:
        """What a clause, as it is read aloud, states without a source; in order.

        `told`: what may be said besides.
        """
        claims = _MODULES[self.language].claimed(form)
        return tuple(
            claim.kind
            for claim in claims
            if not (_grounds(claim, self.known) or _grounds(claim, told))
        )

    def _with(self, more: Iterable[Claim]) -> "Sources":
        return replace(self, known=self.known.union(more))

    def offered(self, text: str, *, loose: bool) -> Iterator[Claim]:
        """As it is read aloud, and as it stands: "400 three times a day" is read as 403."""
        module = _MODULES[self.language]
        text = _INSTANT.sub(r"\1, \2,", text)
        for form in (speak(text, self.language, self.locale), _JOINED.sub(" ", text)):
            yield from module.offered(form, loose=loose)
            yield from (name(word) for word in module.words(form))


def sources_of(agent: Agent, language: str) -> Sources | None:
    """What the site has told an agent; None where its replies need no source."""
    if agent.grounding == "off" or language not in _MODULES:
        return None
    lines = astuple(agent.lines[language])
    declared = [tool.description for tool in agent.tools]
    site = [
        agent.prompt_in(language),
        *lines,
        agent.handoff_line(language),
        *agent.hotwords,
        *declared,
        agent.name,
    ]
    return Sources(language, agent.locales.get(language)).site(site)


def parts(text: str) -> list[str]:
    """A tool's JSON, a text for each value behind its key; anything else line by line."""
    try:
        return list(_lines(json.loads(text)))
    except ValueError:
        return text.splitlines()


def _grounds(claim: Claim, known: Set[Claim]) -> bool:
    """It stands there, or a number that counts nothing does."""
    if claim in known:
        return True
    number, _, unit = claim.key.partition(" ")
    return claim.kind is Kind.DOSE and bool(unit) and Claim(Kind.DOSE, number) in known


def _lines(value: object, key: str = "") -> Iterator[str]:
    match value:
        case dict():
            for inner, one in value.items():
                yield from _lines(one, str(inner).replace("_", " "))
        case list():
            for one in value:
                yield from _lines(one, key)
        case str() | int() | float():
            yield f"{key}, {value}" if key else str(value)
