"""A reply while it is made: written by the engine's thread, read by one task on the main loop.

It does not know prompts, caches or schedules.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from dataclasses import dataclass

from voiced import clock
from voiced.errors import EngineFailed
from voiced.flow.lane import Lane
from voiced.llm.batch import Vocabulary
from voiced.llm.cleaning import Cleaner
from voiced.llm.model import Ending, ReplyStats
from voiced.llm.spans import Drawn
from voiced.llm.tool_calls import NOTHING_ASKED, Asked, Sieve
from voiced.ops import metrics
from voiced.words import Words

_LOOP_TOKENS = 48
_LOOP_PERIOD = 16
"""A reply whose last 48 tokens repeat a run of at most 16 would never end."""


@dataclass(frozen=True, slots=True)
class _Ended:
    stats: ReplyStats
    error: EngineFailed | None
    asked: Asked


_Message = Words | _Ended


class Writer:
    """The engine's side: a `scheduler.Reader`."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        cleaner: Cleaner,
        max_tokens: int,
        lane: "Lane[_Message]",
        kept: Callable[[Drawn], None],
        sieve: Sieve | None = None,
    ) -> None:
        """`kept` is told the tokens of the reply, however it ended. `sieve` finds tool calls."""
        self.abandoned = False
        self.prompt_tokens = 0
        self._vocabulary = vocabulary
        self._cleaner = cleaner
        self._sieve = sieve or Sieve({})
        self._asked = NOTHING_ASKED
        self._max_tokens = max_tokens
        self._lane = lane
        self._kept = kept
        self._asked_at = clock.now()
        self._first_at: float | None = None
        self._evaluated = 0
        self._drawn: list[tuple[int, bytes]] = []
        self._spoke = False
        self._ending = Ending.STOP
        self._looped = False

    def read(self, evaluated: int, _likely: float) -> None:
        self._evaluated = evaluated

    def drawn(self, token: int) -> bool:
        if self._first_at is None:
            self._first_at = clock.now()
        if self._vocabulary.ends(token):
            return False
        piece = self._vocabulary.piece(token)
        self._drawn.append((token, piece))
        control = "" if piece else self._vocabulary.name(token)
        # where nothing is to be heard of it, as of a call, an empty piece tells that it goes on
        self._tell(self._cleaner.feed(self._sieve.feed(piece, control)))
        self._looped = _looping([token for token, _piece in self._drawn[-_LOOP_TOKENS:]])
        if len(self._drawn) >= self._max_tokens and not self._cleaner.stopped:
            self._ending = Ending.LENGTH
            return False
        return not self._cleaner.stopped and not self._looped

    def ended(self, error: EngineFailed | None, *, stale: bool) -> None:
        if stale:
            self._ending = Ending.CANCELLED
        elif error is None:
            held, self._asked = self._sieve.end()
            self._tell(self._cleaner.feed(held) + self._cleaner.end())
            error = self._trouble()
        self._kept(tuple(self._drawn))
        first_at = clock.now() if self._first_at is None else self._first_at
        stats = ReplyStats(
            ending=self._ending,
            prompt_tokens=self.prompt_tokens,
            evaluated_tokens=self._evaluated,
            reply_tokens=len(self._drawn),
            ttft_ms=(first_at - self._asked_at) * 1000,
        )
        metrics.LLM_TOKENS.labels("evaluated").inc(self._evaluated)
        metrics.LLM_TOKENS.labels("drawn").inc(len(self._drawn))
        self._lane.put(_Ended(stats, error, self._asked))
        self._lane.close()

    def _trouble(self) -> EngineFailed | None:
        if self._looped:
            return EngineFailed("llm", "endless reply")
        if self._spoke or self._asked.calls:
            return None
        endless = self._ending is Ending.LENGTH
        return EngineFailed("llm", "endless thinking" if endless else "empty reply")

    def _tell(self, text: str) -> None:
        self._spoke = self._spoke or bool(text.strip())
        self._lane.put(Words(text))


class LlamaReply:
    """The main loop's side; see `model.Reply`."""

    def __init__(self, lane: "Lane[_Message]", writer: Writer, deadline_s: float) -> None:
        """`deadline_s`: how long the first token, and any later piece, may take."""
        self._lane = lane
        self._writer = writer
        self._deadline_s = deadline_s
        self._stats: ReplyStats | None = None
        self.asked = NOTHING_ASKED
        """See `model.Reply.asked`."""

    @property
    def stats(self) -> ReplyStats:
        if self._stats is None:
            raise RuntimeError("the reply has not ended")
        return self._stats

    async def __aiter__(self) -> AsyncGenerator[Words]:
        messages = aiter(self._lane)
        try:
            while True:
                match await self._next(messages):
                    case Words() as words:
                        yield words
                    case _Ended(stats, error, asked):
                        self._stats, self.asked = stats, asked
                        if error is not None:
                            raise error
                        return
        except EngineFailed:
            metrics.ENGINE_FAILED.labels("llm").inc()
            raise
        finally:
            self._writer.abandoned = True

    async def _next(self, messages: "AsyncIterator[_Message]") -> "_Message":
        try:
            async with asyncio.timeout(self._deadline_s):
                return await anext(messages)
        except TimeoutError:
            raise EngineFailed("llm", "deadline passed") from None
        except StopAsyncIteration:
            raise EngineFailed("llm", "closed") from None


def lane(max_tokens: int) -> "Lane[_Message]":
    """For one reply: never full, since a token makes one message and the end makes two."""
    return Lane(max_tokens + 2)


def _looping(tokens: Sequence[int]) -> bool:
    if len(tokens) < _LOOP_TOKENS:
        return False
    return any(
        all(tokens[i] == tokens[i - period] for i in range(period, len(tokens)))
        for period in range(1, _LOOP_PERIOD + 1)
    )
