"""One call's slot: asks the engine's thread for readings and replies of its conversation.

It does not know llama.cpp, templates or the call.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from voiced import clock
from voiced.config.agent import Agent, Sampling
from voiced.errors import EngineFailed, Stale
from voiced.flow.cancel import Ticket
from voiced.llm.batch import FreeSampler, Sampler
from voiced.llm.bounded import Bounded
from voiced.llm.cleaning import Cleaner
from voiced.llm.conversation import Conversation, Language
from voiced.llm.grammar import Grammar
from voiced.llm.model import Message
from voiced.llm.prompt import stamp
from voiced.llm.reply import LlamaReply, Writer, lane
from voiced.llm.scheduler import Job, Opening, Reader, Scheduler, Track, Urgency
from voiced.llm.steps import Steps
from voiced.llm.tool_calls import Sieve
from voiced.ops import log


@dataclass(frozen=True, slots=True)
class Mind:
    """What all slots of a model share."""

    steps: Steps
    language: Language
    make_sampler: Callable[[Sampling], FreeSampler]
    turn_ends: tuple[int, ...]
    """Tokens that follow a caller's last word."""
    likely: Callable[[float], float]
    """What the probability of those is worth, on the scale that all models share."""
    deadline_s: float
    """For a reply's first token."""


class Reading:
    """Waits on the main loop until the engine has read a prompt; a `scheduler.Reader`."""

    def __init__(self) -> None:
        self.abandoned = False
        self._loop = asyncio.get_running_loop()
        self._done: asyncio.Future[float] = self._loop.create_future()
        self._likely = 0.0

    async def likely(self) -> float:
        """The probability that was asked for. Raises EngineFailed or Stale."""
        try:
            return await self._done
        finally:
            self.abandoned = True

    def read(self, _evaluated: int, likely: float) -> None:
        self._likely = likely

    def drawn(self, _token: int) -> bool:
        return False

    def ended(self, error: EngineFailed | None, *, stale: bool) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._settle, Stale("llm") if stale else error)

    def _settle(self, error: Exception | None) -> None:
        if self._done.done():
            return
        if error is None:
            self._done.set_result(self._likely)
        else:
            self._done.set_exception(error)


class LlamaSlot:
    """See `model.Slot`. Main loop only."""

    def __init__(
        self,
        mind: Mind,
        agent: Agent,
        track: Track,
        openings: Mapping[str, Opening],
        freed: Callable[[], None],
        grammar: Grammar | None = None,
    ) -> None:
        """`openings`: what was read ahead, by system prompt; it begins with the agent's.

        `freed` is called once, when the slot is closed. Calls of tools are drawn by `grammar`.
        """
        self._mind = mind
        self._agent = agent
        self._track = track
        self._freed = freed
        self._grammar = grammar
        self._closed = False
        self._conversation = Conversation(mind.language, agent.prompt, agent.tools)
        self._tools = {tool.name: tool for tool in agent.tools}
        self._openings = openings
        self._begin(agent.prompt)

    def answer(self, history: Sequence[Message], sampling: Sampling, ticket: Ticket) -> LlamaReply:
        """See `model.Slot.answer`."""
        language = self._mind.language
        messages = lane(sampling.max_tokens)
        cleaner = Cleaner(
            (*language.template.stop, *self._agent.stop), thinking=language.template.thinking
        )
        writer = Writer(
            language.vocabulary,
            cleaner,
            sampling.max_tokens,
            messages,
            self._conversation.said,
            Sieve(self._tools),
        )
        spoken_to = (tuple(history), stamp(clock.wall().astimezone()))

        def job() -> Job:
            prompt = self._conversation.prompt(*spoken_to, sampling.max_tokens)
            writer.prompt_tokens = len(prompt)
            sampler = self._sampler(sampling)
            return Job(self._track, prompt, writer, Urgency.ANSWER, ticket, sampler)

        self._ask(job, writer)
        return LlamaReply(messages, writer, self._mind.deadline_s)

    async def prefill(self, history: Sequence[Message], ticket: Ticket) -> float:
        """See `model.Slot.prefill`."""
        reading = Reading()
        spoken_to = (tuple(history), stamp(clock.wall().astimezone()))

        def job() -> Job:
            prompt = self._conversation.opened(*spoken_to, self._agent.sampling.max_tokens)
            ends = self._mind.turn_ends
            return Job(self._track, prompt, reading, Urgency.AHEAD, ticket, ends=ends)

        self._ask(job, reading)
        return self._mind.likely(await reading.likely())

    def instruct(self, prompt: str) -> None:
        """See `model.Slot.instruct`. What was read ahead of the prompt is not read again."""
        with suppress(EngineFailed):  # a model that was closed tells so when it is asked
            self._mind.steps.put(lambda _scheduler: self._conversation.instruct(prompt))
            self._begin(prompt)

    def close(self) -> None:
        """See `model.Slot.close`."""
        if self._closed:
            return
        self._closed = True
        with suppress(EngineFailed):  # a model that was closed first has dropped everything
            self._mind.steps.put(lambda scheduler: scheduler.drop(self._track))
        self._freed()

    def _begin(self, prompt: str) -> None:
        """The sequence holds what was read ahead of a prompt, in the place of what it held."""
        opening, track = self._openings.get(prompt), self._track
        if opening is None:
            return

        def restored(scheduler: Scheduler) -> None:
            scheduler.drop(track)
            scheduler.restore(track, opening)

        self._mind.steps.put(restored)

    def _sampler(self, sampling: Sampling) -> Sampler:
        sampler = self._mind.make_sampler(sampling)
        return sampler if self._grammar is None else Bounded(sampler, self._grammar)

    def _ask(self, job: Callable[[], Job], reader: Reader) -> None:
        def request(scheduler: Scheduler) -> None:
            try:
                scheduler.add(job())
            except EngineFailed as error:
                reader.ended(error, stale=False)
            except Exception as error:  # noqa: BLE001 - border: a prompt that cannot be made is its own turn's trouble
                log.failure("prompt.failed", error)
                reader.ended(EngineFailed("llm", "prompt cannot be made"), stale=False)

        try:
            self._mind.steps.put(request)
        except EngineFailed as error:
            reader.ended(error, stale=False)
