"""What a language model is: a resident model whose slots are shared out to calls.

It does not know audio, turns or clauses; it turns a conversation into the text of a reply.
"""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from enum import StrEnum, auto
from typing import Protocol

from voiced.config.agent import Agent, Sampling
from voiced.flow.cancel import Ticket
from voiced.llm.tool_calls import Asked
from voiced.words import Words


class Role(StrEnum):
    """Who said a message; the names are those of every chat template."""

    SYSTEM = auto()
    USER = auto()
    ASSISTANT = auto()
    TOOL = auto()


@dataclass(frozen=True, slots=True)
class Message:
    """One entry of the conversation as the next prompt sees it."""

    role: Role
    text: Words
    cut: bool = False
    """The agent was interrupted: `text` is what the caller heard of it."""


class Ending(StrEnum):
    """Why a reply ended."""

    STOP = auto()  # the model said that it is done, or a stop string came
    LENGTH = auto()  # the reply's length limit
    CANCELLED = auto()  # its take is no longer live


@dataclass(frozen=True, slots=True)
class ReplyStats:
    """Numbers of one reply; no words."""

    ending: Ending
    prompt_tokens: int
    """Tokens of the whole prompt."""
    evaluated_tokens: int
    """Tokens of it that were not in the slot yet and had to be read."""
    reply_tokens: int
    ttft_ms: float
    """From the call of `answer` to the first token."""


class Reply(Protocol):
    """One reply while it is made: an async iterator of pieces of text, cleaned and UTF-8 whole.

    A piece may be empty: the model is at work on what nobody hears, a thought or a call of a tool.
    Iterated on the main loop by one task. Ends when the reply ends; raises EngineFailed when the
    model fails. A stale ticket, or closing the iterator, ends it within one step of the model.
    """

    def __aiter__(self) -> AsyncGenerator[Words]: ...

    @property
    def stats(self) -> ReplyStats:
        """Valid once the iterator has ended."""
        ...

    @property
    def asked(self) -> Asked:
        """Tools that the reply asks for; not spoken. Valid once the iterator has ended."""
        ...


class Slot(Protocol):
    """One call's sequence with its cache. Called from the main loop only."""

    def answer(self, history: Sequence[Message], sampling: Sampling, ticket: Ticket) -> Reply:
        """Begins the reply to `history`, whose last message is the caller's or a tool's result.

        `history` does not hold the agent's system prompt: the slot was opened with it. What of the
        history the slot has read already is not read again.
        """
        ...

    async def prefill(self, history: Sequence[Message], ticket: Ticket) -> float:
        """Reads ahead while the caller still speaks; the last message is the caller's, so far.

        Returns how likely, by what the model has read, the caller's turn ends there: 0 to 1, on a
        scale that all models share (the catalogue knows what each one's probabilities mean). A
        final mark of the last message is left out, since it would answer the question. What was
        read is not read again by `answer`. Raises EngineFailed, and Stale: also while a reply of
        this slot is being made.
        """
        ...

    def instruct(self, prompt: str) -> None:
        """From now on this stands in the place of the agent's system prompt: of `agent.prompts`, or
        its own again. A reply that runs is no longer wanted."""
        ...

    def close(self) -> None:
        """Gives the slot back; a reply that runs is cancelled first. Idempotent."""
        ...


class LanguageModel(Protocol):
    """Resident; owns its thread. Called from the main loop."""

    @property
    def slots(self) -> int:
        """How many calls it can hold at once."""
        ...

    async def prepare(self, agents: Sequence[Agent]) -> None:
        """Reads each agent's system prompt once, so that a slot begins with a copy of it."""
        ...

    def open(self, agent: Agent, call: str) -> Slot:
        """A slot for a call. Raises Refused (503) when none is free: at admission, never later."""
        ...

    def close(self) -> None:
        """Ends the thread and frees the model."""
        ...
