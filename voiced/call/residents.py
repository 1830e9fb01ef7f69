"""What stays in memory and is shared by all calls: agents, engines, fixed lines.

It does not know how they were loaded (`voiced.daemon`).
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from voiced.call.grounding import Sources, sources_of
from voiced.call.parts import Casting, Detector, Ears, Engines, Tongue
from voiced.call.strain import Strain
from voiced.call.tools import Hand, nobody
from voiced.config.agent import Agent
from voiced.errors import Refused
from voiced.llm.model import LanguageModel
from voiced.stt.model import Partials, SpeechToText
from voiced.tts.fixed import FixedLine
from voiced.tts.model import Voice
from voiced.tts.sonic.readiness import Presence
from voiced.turn.orders import Line


def grounded(agents: Iterable[Agent]) -> dict[tuple[str, str], Sources]:
    """What each agent was told by its file, for those whose replies need sources."""
    found = {
        (a.name, language): sources_of(a, language) for a in agents for language in a.languages
    }
    return {key: sources for key, sources in found.items() if sources is not None}


@dataclass(frozen=True, slots=True)
class Residents:
    """Loaded, warm, and the same for every call."""

    agents: Mapping[str, Agent]
    default_agent: str
    vad: Detector
    stt: SpeechToText
    llm: LanguageModel
    voices: Mapping[tuple[str, str], Voice]
    """By name and language."""
    lines: Mapping[tuple[str, str], Mapping[Line, FixedLine]]
    """By agent and language."""
    sources: Mapping[tuple[str, str], Sources] = field(default_factory=dict)
    """By agent and language, for those whose replies need sources."""
    partials: Partials | None = None
    """The recogniser once more, where it also reads what is still being said."""
    ears: Callable[[Agent], Ears | None] = lambda _agent: None
    """A call's own recogniser, where one that is elsewhere reads first."""
    strain: Strain = field(default_factory=Strain)
    capacity: int | None = None
    """Calls that stay within the latency budget, as far as that was tried."""
    sonic: Presence = field(default_factory=Presence)
    """Whether Sonic can speak, where some voice is Sonic's."""
    hand: Hand = nobody
    """Asks the servers that the agents' tools name."""

    def cast(self, agent: str | None) -> Casting:
        """Who answers a caller that asks for `agent`. Raises Refused (404)."""
        found = self.agents.get(agent or self.default_agent)
        if found is None:
            raise Refused(404, "unknown-agent", "there is no agent of that name here")
        tongues = {language: self._tongue(found, language) for language in found.languages}
        return Casting(found, found.languages[0], tongues)

    def _tongue(self, agent: Agent, language: str) -> Tongue:
        return Tongue(
            self.voices[agent.voices[language], language],
            self.lines[agent.name, language],
            self.sources.get((agent.name, language)),
        )

    def engines(self, casting: Casting, call: str) -> Engines:
        """The engines of one call, with a slot of its own. Raises Refused (503) without one."""
        ears = self.ears(casting.agent)
        return Engines(
            vad=self.vad,
            stt=ears or self.stt,
            slot=self.llm.open(casting.agent, call),
            partials=ears or self.partials,
            strain=self.strain,
            hand=self.hand,
            opens=lambda other: self.llm.open(other, call),
            ears=ears,
        )
