"""A conversation as a script: who says what and when, how engines behave, and what must come of it.

The caller's voice is a mark in the sound, so the recogniser of the rehearsal "reads" exactly those
stretches that the real code cut out for it. It does not know files or JSON.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import Field

from voiced.config.agent import Agent, Handoff, Language, Lines, Tool, Vault
from voiced.config.settings import Milliseconds, Probability, TurnPace

Instant = Annotated[float, Field(ge=0.0, le=3600.0)]
"""Seconds since the call was connected."""

Stretch = tuple[Instant, Instant]


@dataclass(frozen=True, slots=True, kw_only=True)
class Speech:
    """The caller makes a sound, and how it is read."""

    at: Instant
    until: Instant
    says: str = ""
    """Nothing: a noise."""
    language: Language | None = None
    """In which it is said, and not understood by who listens for another; none: the first."""
    stt_ms: Milliseconds = 200
    """How long the recogniser takes for a turn that ends with this."""
    stt_fails: bool = False
    likely_over: Probability = 1.0
    """What the language model thinks of the pause behind it: that the turn ends there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """What the caller's program does, or the operator (`leave`, `acknowledge`)."""

    at: Instant
    does: Literal["write", "stop", "hang_up", "leave", "acknowledge"]
    text: str = ""
    """For `write`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LateFact:
    """A fact told at an instant, whoever would tell it: late, twice, or of a take that is over."""

    at: Instant
    fact: Literal["Final", "EndScored", "Overheard", "Failed"]
    turn: int
    take: int = 0
    text: str = ""
    probability: Probability = 1.0
    asking: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the language model does when it is asked; each is used once, in order."""

    says: str = ""
    ttft_ms: Milliseconds = 200
    token_ms: Milliseconds = 20
    """Between two words."""
    ending: Literal["stop", "fails", "never"] = "stop"
    """How it ends, behind what it says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """How the voice makes a clause; the last one holds for all that follow."""

    ttfb_ms: Milliseconds = 100
    letter_ms: Milliseconds = 50
    fails: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse:
    """What a tool does when it is used; of those with one name each is used once, in order."""

    name: str
    returns: str = ""
    after_ms: Milliseconds = 100
    fails: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Cast:
    """An agent of the script's own, as far as it matters here; its first language is English."""

    turn: TurnPace = field(default_factory=TurnPace)
    lines: Lines = field(
        default_factory=lambda: Lines(greeting="Hello.", fallback="Sorry?", goodbye="Goodbye.")
    )
    others: Mapping[Language, Lines] = field(default_factory=dict)
    """Its lines in the languages that it has besides."""
    prompt: str = ""
    prompts: Mapping[Language, str] = field(default_factory=dict)
    red_flags: tuple[str, ...] = ()
    handoffs: tuple[Handoff, ...] = ()
    tools: tuple[Tool, ...] = ()
    grounding: Literal["off", "line", "handoff"] = "off"
    vault: Vault = field(default_factory=Vault)

    def agent(self) -> Agent:
        """A whole agent of that kind."""
        return Agent(
            name="rehearsal",
            languages=("en", *self.others),
            prompt=self.prompt,
            prompts=dict(self.prompts),
            lines={"en": self.lines, **self.others},
            voices=dict.fromkeys(("en", *self.others), "rehearsal"),
            turn=self.turn,
            red_flags={"en": self.red_flags} if self.red_flags else {},
            handoffs=self.handoffs,
            tools=self.tools,
            grounding=self.grounding,
            vault=self.vault,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What must come of it; what is not written may be anything."""

    turns: tuple[tuple[str, str], ...] | None = None
    """What the caller said and heard, turn by turn."""
    languages: tuple[Language, ...] | None = None
    """In which each turn was answered."""
    history: tuple[tuple[str, str], ...] | None = None
    """Role and text of each message of the next prompt."""
    orders: tuple[str, ...] = ()
    """Given in this order, others between them: `Release`, or `Say fallback`."""
    never: tuple[str, ...] = ()
    """Never given."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """How often each of these is given."""
    audible: tuple[Stretch, ...] = ()
    """The agent is heard all the time in these."""
    silent: tuple[Stretch, ...] = ()
    """Nothing is heard in these."""
    ended: str | None = None
    """Why the call ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """One file."""

    about: str
    until: Instant
    """When the caller hangs up."""
    agent: Cast = field(default_factory=Cast)
    agent_file: str = ""
    """In its place the file of a whole agent, seen from the script's folder."""
    language: Language | None = None
    """In which the call begins; none: the agent's first."""
    speech: tuple[Speech, ...] = ()
    client: tuple[Client, ...] = ()
    facts: tuple[LateFact, ...] = ()
    replies: tuple[Reply, ...] = ()
    clauses: tuple[Clause, ...] = ()
    tools: tuple[ToolUse, ...] = ()
    webhook: tuple[bool, ...] = ()
    """Whether each attempt is acknowledged; those behind the last are."""
    expect: Expected = field(default_factory=Expected)
