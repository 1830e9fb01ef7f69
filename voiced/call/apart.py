"""Answers that stand outside the conversation: words in, words out, for the caller's program alone.

Each has a slot of the language model's to itself, and there is one at a time in a call. Nothing of
it is spoken, remembered, or seen by the conversation. It does not know events.
"""

import asyncio
import itertools
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, replace

from voiced.call.news import ApartEnded, ApartGrew, Told
from voiced.call.parts import Casting
from voiced.config.agent import Agent
from voiced.errors import EngineFailed, Refused, Stale
from voiced.flow.cancel import Live, Take, Ticket
from voiced.llm.model import Ending, Message, Slot
from voiced.words import Words

LONGEST_S = 30.0


@dataclass(frozen=True, slots=True)
class Question:
    """What is to be answered."""

    messages: tuple[Message, ...]
    """The last one is the caller's."""
    instructions: Words | None = None
    """In place of the agent's prompt."""
    tokens: int | None = None
    """The answer is ended there; None: the agent's own limit."""


class Apart:
    """One call's. Main loop only."""

    def __init__(
        self, call: str, casting: Casting, opens: Callable[[Agent], Slot] | None, tell: Told
    ) -> None:
        self._call = call
        self._casting = casting
        self._opens = opens
        self._tell = tell
        self._numbers = itertools.count(1)
        self._live = Live()
        self._running: asyncio.Task[None] | None = None

    def ask(self, question: Question, tasks: asyncio.TaskGroup) -> int:
        """Begins to answer; news tell the rest, by this number. Raises Refused (503)."""
        if self._opens is None or (self._running is not None and not self._running.done()):
            raise Refused(503, "full", "another one is being answered")
        agent = self._casting.agent
        if question.instructions is not None:
            agent = replace(agent, name="apart", prompt=question.instructions.reveal(), tools=())
        slot = self._opens(replace(agent, tools=()))
        number = next(self._numbers)
        self._live.take = Take(number, 0)
        self._running = tasks.create_task(self._answer(number, question, slot))
        return number

    def cancel(self, number: int) -> None:
        """Ends an answer; that it ended is told as ever."""
        if self._live.take == Take(number, 0):
            self._live.take = Take(number, 1)

    def close(self) -> None:
        """Ends what still runs."""
        if self._running is not None:
            self._running.cancel()

    async def _answer(self, number: int, question: Question, slot: Slot) -> None:
        outcome = "failed"
        try:
            async with asyncio.timeout(LONGEST_S):
                outcome = await self._answered(number, question, slot)
        except (EngineFailed, TimeoutError):
            pass  # told as failed
        except Stale:
            outcome = "cancelled"
        finally:
            slot.close()
        self._tell(ApartEnded(number, outcome))

    async def _answered(self, number: int, question: Question, slot: Slot) -> str:
        sampling = self._casting.agent.sampling
        if question.tokens is not None:
            sampling = replace(sampling, max_tokens=question.tokens)
        ticket = Ticket(self._call, Take(number, 0), self._live)
        reply = slot.answer(question.messages, sampling, ticket)
        async with aclosing(aiter(reply)) as pieces:
            async for piece in pieces:
                if len(piece):
                    self._tell(ApartGrew(number, piece))
        if ticket.stale:
            return "cancelled"
        return "incomplete" if reply.stats.ending is Ending.LENGTH else "completed"
