"""What one call is given: its agent, the shared engines, and its line to the caller.

Protocols, so that a whole conversation can be held on virtual time with none of the real ones.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from voiced import clock
from voiced.call.grounding import Sources, Wall
from voiced.call.strain import Strain
from voiced.call.tools import Hand, nobody
from voiced.config.agent import Agent
from voiced.flow.ring import Ring
from voiced.llm.model import Slot
from voiced.rtc.facts import Network
from voiced.stt.model import Partials, SpeechToText
from voiced.tts.fixed import FixedLine
from voiced.tts.model import Voice
from voiced.turn.orders import Line
from voiced.vad.model import Hearsay


def site_time() -> datetime:
    """By this machine's clock, in its zone."""
    return clock.wall().astimezone()


class Source(Protocol):
    """What the caller is heard saying."""

    @property
    def ring(self) -> Ring: ...

    def instant(self, sample: int) -> float: ...


class Detector(Protocol):
    """The voice activity detector that all calls share."""

    def attach(self, call: str, source: Source, told: Callable[[Hearsay], None]) -> None: ...

    def detach(self, call: str) -> None: ...

    def stirs(self, call: str) -> bool: ...


class Ears(SpeechToText, Partials, Protocol):
    """A recogniser that one call has to itself."""

    def close(self) -> None: ...


class Peer(Protocol):
    """The caller's end of the line."""

    def network(self) -> Network: ...


class FarEnd(Peer, Protocol):
    """The same, for whoever opened it: whatever the line runs over."""

    def send(self, text: str) -> None:
        """Sends a message to the caller's program. Any thread; must not block."""

    async def close(self) -> None:
        """Ends the connection, within seconds. Idempotent; on the main loop."""


@dataclass(frozen=True, slots=True)
class Engines:
    """The resident models, as one call uses them."""

    vad: Detector
    stt: SpeechToText
    slot: Slot
    """This call's own."""
    partials: Partials | None = None
    """The recogniser once more, where it also reads what is still being said."""
    strain: Strain = field(default_factory=Strain)
    """What the machine leaves out, since it is too slow; the same for all calls."""
    wall: Wall = site_time
    """The site's date and time, which the language model is told too."""
    hand: Hand = nobody
    """Runs the tools that the site's servers have."""
    opens: Callable[[Agent], Slot] | None = None
    """Opens another slot, for what stands outside the conversation. Raises Refused."""
    ears: Ears | None = None
    """A recogniser of this call's own, which is `stt` too."""

    def close(self) -> None:
        """Gives back what is this call's own."""
        self.slot.close()
        if self.ears is not None:
            self.ears.close()


@dataclass(frozen=True, slots=True)
class Tongue:
    """What an agent speaks a language with."""

    voice: Voice
    lines: Mapping[Line, FixedLine]
    sources: Sources | None = None
    """What the site has told the agent, where its replies need sources."""


@dataclass(slots=True)
class Casting:
    """Who answers, and in which language: with that, all that goes with it changes at once.

    Main loop only.
    """

    agent: Agent
    language: str
    """In which the call is held now."""
    tongues: Mapping[str, Tongue] = field(default_factory=dict)
    """By language: at least the agent's."""

    @property
    def tongue(self) -> Tongue:
        return self.tongues[self.language]

    @property
    def locale(self) -> str | None:
        """Where the language is spoken, if the agent says so."""
        return self.agent.locales.get(self.language)
