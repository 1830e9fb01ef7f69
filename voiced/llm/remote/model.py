"""A language model on another machine of the site, behind the same seam as the resident one.

    slot.answer --> POST /v1/chat/completions --> data: ... data: ... --> cleaner --> pieces

Nothing lasts from one reply to the next, connections neither. What the server has read it keeps by
itself, where it keeps it at all, so reading ahead asks it for nothing. It does not know audio,
turns or clauses.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

from voiced import clock
from voiced.config.agent import Agent, Sampling
from voiced.config.settings import Llm
from voiced.errors import EngineFailed, Refused, Stale
from voiced.flow.breaker import Breaker
from voiced.flow.cancel import Live, Ticket
from voiced.llm.model import Message, Role
from voiced.llm.prompt import stamp
from voiced.llm.remote import chat
from voiced.llm.remote.reply import EMPTY, RemoteReply
from voiced.llm.remote.server import Server, connections, until_ready
from voiced.ops import log
from voiced.words import Words

UNKNOWN = 0.5
"""Whether the caller's turn ends: such a server tells no probabilities of a prompt's end. The
middle of the scale, so that the words alone decide how long a pause must be."""

_SPARE_TOKENS = 64
"""Of the context, for what a template writes around the messages."""


@asynccontextmanager
async def serving(settings: Llm) -> AsyncIterator["RemoteModel"]:
    """The model, once its server is ready. Raises ConfigError, UnavailableError."""
    remote = settings.remote
    async with connections(settings) as http:
        server = Server(http, settings, Breaker(remote.failures, remote.pause_ms / 1000))
        await until_ready(server)
        model = RemoteModel(server)
        try:
            yield model
        finally:
            model.close()


class RemoteModel:
    """See `model.LanguageModel`."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self._open: set[RemoteSlot] = set()

    @property
    def slots(self) -> int:
        return self.server.settings.slots

    async def prepare(self, agents: Sequence[Agent]) -> None:
        """Has the server read each agent's prompt, which it may keep; it need not answer."""
        for agent in agents:
            slot = RemoteSlot(self.server, agent, lambda _slot: None)
            live = Live()
            ticket = Ticket("preparing", live.take, live)
            try:
                reply = slot.answer(_opening(agent), Sampling(max_tokens=1), ticket)
                _ = [piece async for piece in reply]
            except EngineFailed as failure:
                if failure.reason != EMPTY:
                    reason = failure.reason.replace(" ", "-")
                    log.warning("agent.unprepared", agent=agent.name, reason=reason)

    def open(self, agent: Agent, call: str) -> "RemoteSlot":
        """See `model.LanguageModel.open`."""
        if len(self._open) >= self.slots:
            raise Refused(503, "full", "every slot of the language model is taken", 30)
        slot = RemoteSlot(self.server, agent, self._open.discard)
        self._open.add(slot)
        return slot

    def close(self) -> None:
        """See `model.LanguageModel.close`."""
        for slot in list(self._open):
            slot.close()


def _opening(agent: Agent) -> list[Message]:
    """What every conversation of the agent begins with."""
    lines = agent.lines[agent.languages[0]]
    greeting = " ".join(line for line in (lines.disclosure, lines.greeting) if line)
    return [Message(Role.ASSISTANT, Words(greeting)), Message(Role.USER, Words("Hello?"))]


class RemoteSlot:
    """See `model.Slot`. Main loop only."""

    def __init__(self, server: Server, agent: Agent, freed: "Callable[[RemoteSlot], None]") -> None:
        self._server = server
        self._agent = agent
        self._prompt = agent.prompt
        self._freed = freed
        self._stamps: list[str] = []
        self._reply: RemoteReply | None = None

    def answer(
        self, history: Sequence[Message], sampling: Sampling, ticket: Ticket
    ) -> "RemoteReply":
        """See `model.Slot.answer`; a reply of this slot that still runs is ended."""
        self._end()
        self._reply = RemoteReply(
            self._server, self._body(history, sampling), sampling, self._agent, ticket
        )
        return self._reply

    async def prefill(self, history: Sequence[Message], ticket: Ticket) -> float:
        """See `model.Slot.prefill`. Always UNKNOWN, at once."""
        if ticket.stale:
            raise Stale("llm")
        return UNKNOWN

    def instruct(self, prompt: str) -> None:
        """See `model.Slot.instruct`."""
        self._prompt = prompt

    def close(self) -> None:
        """See `model.Slot.close`."""
        self._end()
        self._freed(self)

    def _end(self) -> None:
        if self._reply is not None:
            self._reply.close()

    def _body(self, history: Sequence[Message], sampling: Sampling) -> Callable[[], chat.Json]:
        """Makes the request's body. A message keeps the stamp that it was first written with, so
        that the server finds again what it has read."""
        for message in history[len(self._stamps) :]:
            ours = message.role is Role.USER
            self._stamps.append(stamp(clock.wall().astimezone()) if ours else "")
        settings, agent, prompt = self._server.settings, self._agent, self._prompt
        stamps = self._stamps[: len(history)]
        room = settings.context_tokens - sampling.max_tokens - _SPARE_TOKENS

        def body() -> chat.Json:
            messages = chat.conversation(prompt, history, stamps, room)
            return chat.request(settings.remote.model, messages, sampling, agent.stop, agent.tools)

        return body
