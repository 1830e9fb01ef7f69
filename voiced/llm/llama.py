"""A GGUF model that all calls share: loads it, reads the agents' prompts, hands out slots.

One thread steps the model for everybody (`steps`, `scheduler`); the rest of this runs on the main
loop. It does not know audio, turns or clauses.
"""

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from voiced.config.agent import Agent
from voiced.config.settings import Llm
from voiced.errors import ConfigError, Refused
from voiced.llm import facts as fact
from voiced.llm.conversation import Conversation, Language
from voiced.llm.grammar import Grammar, Spelling
from voiced.llm.native import Context, GgufVocabulary, Weights
from voiced.llm.scheduler import Job, Opening, Scheduler, Track, Urgency
from voiced.llm.slot import LlamaSlot, Mind, Reading
from voiced.llm.steps import Steps
from voiced.llm.warming import warmed
from voiced.ops import log


def load(path: Path, facts: Mapping[str, Any], settings: Llm) -> "LlamaModel":
    """Loads and warms a model; takes seconds, and blocks.

    Raises ConfigError when facts, template or sizes are wrong, UnavailableError when the file or
    the memory does not do.
    """
    known = fact.checked(facts)
    weights = Weights(path, settings.device)
    vocabulary = weights.vocabulary
    template = fact.template(known, weights.fact("tokenizer.chat_template"), vocabulary.names)
    if settings.context_tokens > weights.trained_tokens:
        raise ConfigError(
            f"[llm] context_tokens = {settings.context_tokens}: the model was trained on "
            f"{weights.trained_tokens}: write at most that"
        )
    context = Context(weights, settings.slots, settings.context_tokens, settings.threads)
    language = Language(template, vocabulary, settings.context_tokens, known.dated)
    return LlamaModel(weights, context, language, known, settings)


class LlamaModel:
    """See `model.LanguageModel`. `progressed_at` and `busy` are for the watchdog."""

    def __init__(
        self,
        weights: Weights,
        context: Context,
        language: Language,
        known: fact.Facts,
        settings: Llm,
    ) -> None:
        self._weights = weights
        self._context = context
        self._settings = settings
        self._tracks = [Track(number) for number in range(settings.slots)]
        self._free = list(self._tracks)
        self._openings: dict[str, dict[str, Opening]] = {}
        """By agent and system prompt."""
        self._spelling: Spelling | None = None
        self._grammars: dict[str, Grammar | None] = {}
        self.mind = Mind(
            steps=Steps(lambda: Scheduler(context, warmed(context, settings.slots))),
            language=language,
            make_sampler=context.sampler,
            turn_ends=turn_ends(weights.vocabulary, known),
            likely=known.turn_end.likely,
            deadline_s=settings.first_token_deadline_ms / 1000,
        )

    @property
    def slots(self) -> int:
        return self._settings.slots

    @property
    def progressed_at(self) -> float:
        return self.mind.steps.progressed_at

    @property
    def busy(self) -> bool:
        return self.mind.steps.busy

    @property
    def fault(self) -> str | None:
        """See Steps."""
        return self.mind.steps.fault

    async def prepare(self, agents: Sequence[Agent]) -> None:
        """See `model.LanguageModel.prepare`. May be called again when the agents have changed.

        Needs a free slot; while there is none, an agent's first turn of a call reads its prompt.
        """
        self._grammars = await asyncio.to_thread(self._made, agents)
        self._openings = {}
        for agent in agents:
            for language in dict.fromkeys((agent.languages[0], *agent.prompts)):
                await self._prepare(agent, language)

    def open(self, agent: Agent, call: str) -> LlamaSlot:
        """See `model.LanguageModel.open`."""
        if not self._free:
            raise Refused(503, "full", "every slot of the language model is taken", 30)
        track = self._free.pop()
        return LlamaSlot(
            self.mind,
            agent,
            track,
            self._openings.get(agent.name, {}),
            partial(self._free.append, track),
            self._grammar(agent),
        )

    def track(self, number: int) -> Track:
        """A sequence without a call, for measurements; none may be open."""
        return self._tracks[number]

    def close(self) -> None:
        """See `model.LanguageModel.close`."""
        self.mind.steps.close()
        self._context.close()
        self._weights.close()

    def _made(self, agents: Sequence[Agent]) -> dict[str, Grammar | None]:
        """The grammars of all agents, by name. Blocks; raises ConfigError."""
        return {agent.name: self._grammar(agent) for agent in agents}

    def _grammar(self, agent: Agent) -> Grammar | None:
        """What calls of the agent's tools are drawn by; made again only for other tools."""
        if not agent.tools:
            return None
        known = self._grammars.get(agent.name)
        if known is not None and known.tools == agent.tools:
            return known
        if self._spelling is None:
            self._spelling = Spelling(self.mind.language.vocabulary)
        return Grammar(self._spelling, agent)

    async def _prepare(self, agent: Agent, language: str) -> None:
        tokens = self._opening(agent, language)
        if not self._free:
            log.warning("agent.unprepared", agent=agent.name, language=language)
            return
        track = self._free.pop()
        try:
            opening = await self._read(track, tokens)
        finally:
            self.mind.steps.put(partial(_drop, track))
            self._free.append(track)
        self._openings.setdefault(agent.name, {})[agent.prompt_in(language)] = opening
        log.info("agent.prepared", agent=agent.name, language=language, tokens=len(tokens))

    async def _read(self, track: Track, tokens: list[int]) -> Opening:
        """Evaluates an opening, and saves what the sequence then holds."""
        reading = Reading()
        self.mind.steps.put(partial(_add, Job(track, tokens, reading, Urgency.AHEAD)))
        await reading.likely()
        return await self.mind.steps.ask(lambda scheduler: scheduler.save(track))

    def _opening(self, agent: Agent, language: str) -> list[int]:
        lines = agent.lines[language]
        greeting = " ".join(line for line in (lines.disclosure, lines.greeting) if line)
        conversation = Conversation(self.mind.language, agent.prompt_in(language), agent.tools)
        opening = conversation.opening(greeting)
        room = self._settings.context_tokens - agent.sampling.max_tokens - _TURN_ROOM
        if len(opening) > room:
            raise ConfigError(
                f"agent {agent.name!r}: prompt and greeting in {language!r} have {len(opening)} "
                f"tokens, of which {room} fit: shorten them, or write a larger [llm] context_tokens"
            )
        return opening


_TURN_ROOM = 128
"""Tokens that a caller's turn needs at least."""


def turn_ends(vocabulary: GgufVocabulary, known: fact.Facts) -> tuple[int, ...]:
    """Tokens that follow the last word of a caller's turn."""
    word = vocabulary.tokens("a", special=False)
    found = set(vocabulary.ending)
    for end in known.turn_ends:
        tokens = vocabulary.tokens("a" + end, special=False)
        if tokens[:-1] == word:
            found.add(tokens[-1])
    return tuple(sorted(found))


def _add(job: Job, scheduler: Scheduler) -> None:
    scheduler.add(job)


def _drop(track: Track, scheduler: Scheduler) -> None:
    scheduler.drop(track)
