"""What an agent is: one TOML file that says who answers, in which words, and what it may do.

It does not know models or calls; it holds what the site wrote, checked whole. None of it belongs to
a caller, so it is plain `str`.
"""

from dataclasses import dataclass, field, fields
from typing import Annotated, Literal

import jsonschema
from pydantic import Field

from voiced.config.settings import Budget, Milliseconds, Probability, TurnPace

Language = Annotated[str, Field(pattern=r"^[a-z]{2}$")]
Locale = Annotated[str, Field(pattern=r"^[a-z]{2}-[A-Z]{2}$")]
"""A language and a country, "en-GB"."""
"""ISO 639-1, two lower-case letters."""

Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")]
"""Lower-case letters, digits, - and _: it stands in URLs, logs and metrics."""

VoiceName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}(/[a-z0-9][a-z0-9_-]{0,31})?$")]
"""A voice's `Name`, and behind a stroke one of its speakers."""

ToolName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,63}$")]

GROUNDED: tuple[Language, ...] = ("en", "ko")
"""In which doses, times and the like can be told from other words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """[lines.LANGUAGE]: what is said word for word, made into sound at start."""

    greeting: str
    """First thing that the caller hears, after the disclosure."""
    disclosure: str = ""
    """That the caller speaks with a machine; said first, and once more at the next chance where it
    was cut off. Empty: the greeting says it."""
    fallback: str
    """When an engine fails or nothing was understood."""
    goodbye: str
    """When the call is closed from our side."""
    one_moment: str = ""
    """When a tool takes long."""
    filler: str = ""
    """When the reply is late, a word or two; empty: a soft sound. See `filler_ms` in [turn]."""
    red_flag: str = ""
    """When the caller names an emergency."""
    taken_over: str = ""
    """When an operator has acknowledged a hand-off: who comes, or where to go."""
    handed_back: str = ""
    """When a person who had joined the call has left it; without it, the greeting."""
    still_there: str = ""
    """Asked into a long silence of the caller's; see `quiet_ms` in [turn]."""
    closing_soon: str = ""
    """A minute before a call reaches `max_call_ms` in [calls]; in half of a shorter time."""
    not_known: str = ""
    """In the place of a statement for which there is no source; see `grounding`."""
    device_lost: str = ""
    """When the machine can no longer answer."""
    hand_off: str = ""
    """In this language, what a hand-off of kind `line` says; without it, as it is written there."""
    consent: str = ""
    """Asked before anything is kept of a call, behind the disclosure and before the greeting: "May
    we record this call?" Only a plain yes counts as one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """[sampling]: how the reply's tokens are drawn."""

    temperature: Annotated[float, Field(ge=0.0, le=2.0)] = 0.0
    """0: always the likeliest token."""
    top_p: Probability = 1.0
    min_p: Probability = 0.0
    seed: Annotated[int, Field(ge=0, lt=2**32)] = 0
    max_tokens: Annotated[int, Field(ge=1, le=4096)] = 160
    """A reply is ended there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """[[tools]]: a function that the model may ask for."""

    name: ToolName
    description: str
    kind: Literal["client", "http"]
    """`client`: the caller's program runs it; `http`: the daemon asks `url`."""
    parameters: dict[str, object] = field(default_factory=dict)
    """JSON schema of the arguments."""
    url: str = ""
    """For `http`: the address, named in the egress list."""
    timeout_ms: Milliseconds = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Handoff:
    """[[handoffs]]: who takes over when the agent must not go on; tried in order."""

    kind: Literal["webhook", "operator", "line"]
    """`operator`: whoever watches the calls; needs another behind it, since nobody may."""
    url: str = ""
    """For `webhook`."""
    line: str = ""
    """For `line`: what is said, a telephone number in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vault:
    """[vault]: what is kept of a call. Nothing, unless it says so."""

    transcripts: bool = False
    """What was said, and what the caller heard of the replies."""
    recordings: bool = False
    """Its sound as well, the caller on the left and the agent on the right."""
    retention_days: Annotated[int, Field(ge=1, le=3650)] = 30
    """Then it is erased."""

    @property
    def keeps(self) -> bool:
        return self.transcripts or self.recordings


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """One file of agents.d."""

    name: Name
    languages: Annotated[tuple[Language, ...], Field(min_length=1)]
    """A call begins in the first, and goes on in whichever of them the caller speaks."""
    prompt: str
    """The system prompt: facts, manner and, for a base model, a short example dialogue."""
    prompts: dict[Language, str] = field(default_factory=dict)
    """In its place while a call is held in another language than the first: the same facts, and in
    which language to reply. Without one a model often replies in the language of the prompt."""
    lines: dict[Language, Lines]
    voices: dict[Language, VoiceName]
    """The voice for each language: a catalogue name, one of Sonic's, or `espeak-ng`, the program's
    own, which is never chosen unless it is written here."""
    locales: dict[Language, Locale] = field(default_factory=dict)
    """Where a language is spoken, `en = "en-US"`: 12/03 is then read as the day that it is there.
    Without it such a date is read number by number, and never guessed."""
    model: Name | None = None
    """Catalogue name of the language model; none: the profile's."""
    stop: tuple[str, ...] = ()
    """Strings that end a reply, beside those of the model's catalogue entry."""
    hotwords: tuple[str, ...] = ()
    """Doctors, drugs, departments: hints for the recogniser."""
    sampling: Sampling = field(default_factory=Sampling)
    turn: TurnPace = field(default_factory=TurnPace)
    tools: tuple[Tool, ...] = ()
    red_flags: dict[Language, tuple[str, ...]] = field(default_factory=dict)
    """Phrases of an emergency; need at least one hand-off."""
    handoffs: tuple[Handoff, ...] = ()
    grounding: Literal["off", "line", "handoff"] = "off"
    """What happens to a dose, time, date, telephone number or person's name in a reply that stands
    in no source: it is spoken (`off`), or the line `not_known` is said instead (`line`), and
    somebody takes over besides (`handoff`). Sources: prompt, lines, hotwords, what the caller says,
    what tools return."""
    vault: Vault = field(default_factory=Vault)
    budget: Budget = field(default_factory=Budget)

    def prompt_in(self, language: str) -> str:
        """The system prompt while a call is held in a language."""
        return self.prompts.get(language, self.prompt)

    def handoff_line(self, language: str) -> str:
        """What is said in the place of a person; empty without a hand-off of kind `line`."""
        line = next((one.line.strip() for one in self.handoffs if one.kind == "line"), "")
        own = self.lines[language].hand_off.strip() if language in self.lines else ""
        return own if line and own else line


def complaints(agent: Agent) -> list[str]:
    """What is wrong with an agent as a whole, a sentence each: key, value, what to write."""
    found = []
    for language in agent.languages:
        if language not in agent.lines:
            found.append(f"languages has {language!r}: write a table [lines.{language}]")
        if language not in agent.voices:
            found.append(f"languages has {language!r}: write {language} = ... under [voices]")
    found += _several(agent)
    return found + _tools(agent) + _danger(agent) + _kept(agent) + _grounding(agent)


def _several(agent: Agent) -> list[str]:
    """What is missing for a call to go on in another language: what can be said in one of them can
    be said in all."""
    here = [language for language in agent.languages if language in agent.lines]
    said = {line.name for line in fields(Lines)} - {"filler"}
    if not agent.handoff_line(""):
        said -= {"hand_off"}
    found = [
        f"lines.{language} has no {line}, which another language has: write it there too"
        for line in sorted(said)
        if any(_has(agent, other, line) for other in here)
        for language in here
        if not _has(agent, language, line)
    ]
    return found + [
        f"prompts has {language!r}: write one of languages: {', '.join(agent.languages)}"
        for language in agent.prompts
        if language not in agent.languages
    ]


def _has(agent: Agent, language: str, line: str) -> bool:
    """Whether a fixed line is written in a language; that of a hand-off is in the first."""
    if line == "hand_off" and language == agent.languages[0]:
        return bool(agent.handoff_line(language))
    return bool(getattr(agent.lines[language], line).strip())


def _grounding(agent: Agent) -> list[str]:
    """What is missing where a statement without a source is to be withheld."""
    found: list[str] = []
    if agent.grounding == "off":
        return found
    for language in agent.languages:
        if language not in GROUNDED:
            known = ", ".join(GROUNDED)
            found.append(f"grounding = {agent.grounding!r}: {language!r} is not among: {known}")
        elif language in agent.lines and not agent.lines[language].not_known.strip():
            found.append(
                f"grounding = {agent.grounding!r}: write not_known under [lines.{language}]: what "
                "is said instead"
            )
    if agent.grounding == "handoff" and not agent.handoffs:
        found.append("grounding = 'handoff': write a [[handoffs]] table, or 'line'")
    return found


def _tools(agent: Agent) -> list[str]:
    """What is wrong with its tools."""
    found = []
    for number, tool in enumerate(agent.tools):
        if tool.name in [one.name for one in agent.tools[:number]]:
            found.append(f"tools: {tool.name!r} stands twice: write another name")
        if tool.kind == "http" and not tool.url:
            found.append(f"tools: {tool.name!r} is of kind http: write its url")
        elif tool.kind == "http" and not tool.url.startswith(("http://", "https://")):
            found.append(f"tools: url = {tool.url!r}: write http://... or https://...")
        try:
            jsonschema.Draft202012Validator.check_schema(dict(tool.parameters))
        except jsonschema.SchemaError as error:
            found.append(f"tools: {tool.name!r}: parameters: {error.message}: write a JSON schema")
            continue
        if tool.parameters.get("type", "object") != "object":
            found.append(f"tools: {tool.name!r}: parameters: write type = 'object'")
    return found


def _danger(agent: Agent) -> list[str]:
    """What is missing for the moment in which the agent must not go on alone."""
    found = []
    if agent.red_flags and not agent.handoffs:
        found.append("red_flags need somebody to hand off to: write a [[handoffs]] table")
    if agent.handoffs and all(one.kind == "operator" for one in agent.handoffs):
        found.append(
            "handoffs: kind 'operator' alone: nobody may be watching: write another [[handoffs]]"
            " table of kind webhook or line behind it"
        )
    for handoff in agent.handoffs:
        wanted = {"webhook": handoff.url, "line": handoff.line, "operator": "-"}[handoff.kind]
        if not wanted:
            key = "url" if handoff.kind == "webhook" else "line"
            found.append(f"handoffs: kind {handoff.kind!r} needs {key}")
        elif handoff.kind == "webhook" and not handoff.url.startswith(("http://", "https://")):
            found.append(f"handoffs: url = {handoff.url!r}: write http://... or https://...")
    return found


def _kept(agent: Agent) -> list[str]:
    """What is missing for calls to be kept: nobody is recorded unasked, or by somebody unknown."""
    missing = [
        f"lines.{language}.{line}"
        for language, lines in agent.lines.items()
        for line in ("disclosure", "consent")
        if agent.vault.keeps and not getattr(lines, line).strip()
    ]
    told = " and ".join(missing)
    return [f"vault keeps calls: write {told}: said before anything is kept"] if missing else []
