"""One reply of the server's, from the request to the end of the stream, each wait with a deadline.

To cancel is to close the stream: such a server then stops within a step. It does not know slots.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

import aiohttp

from voiced import clock
from voiced.config.agent import Agent, Sampling
from voiced.errors import EngineFailed
from voiced.flow.cancel import Ticket
from voiced.llm.cleaning import Cleaner
from voiced.llm.model import Ending, ReplyStats
from voiced.llm.remote import chat
from voiced.llm.remote.server import Server
from voiced.llm.tool_calls import NOTHING_ASKED, Sieve
from voiced.ops import metrics
from voiced.words import Words

_COUNTS_S = 0.1
"""How long the end of a whole reply waits for the server's count of its tokens."""

EMPTY = "empty reply"

_OWN = frozenset(
    {EMPTY, "nothing to answer", "prompt does not fit the context", "refused", "left alone"}
)
"""Reasons that say nothing about the server: the next request may go well."""


class RemoteReply:
    """See `model.Reply`."""

    def __init__(
        self,
        server: Server,
        body: Callable[[], chat.Json],
        sampling: Sampling,
        agent: Agent,
        ticket: Ticket,
    ) -> None:
        """`body` makes the request's."""
        self._server = server
        self._body = body
        self._ticket = ticket
        self._cleaner = Cleaner(agent.stop)
        self._sieve = Sieve({tool.name: tool for tool in agent.tools})
        self._calls: dict[int, tuple[str, str]] = {}
        self.asked = NOTHING_ASKED
        self._asked_at = clock.now()
        settings = server.settings
        loop = asyncio.get_running_loop()
        self._first_by = loop.time() + settings.first_token_deadline_ms / 1000
        self._max_tokens = sampling.max_tokens
        self._first_at: float | None = None
        self._closed = False
        self._answer: aiohttp.ClientResponse | None = None
        self._usage = chat.Delta()
        self._pieces = 0
        self._spoke = False
        self._ending = Ending.CANCELLED

    @property
    def stats(self) -> ReplyStats:
        first_at = clock.now() if self._first_at is None else self._first_at
        usage = self._usage
        return ReplyStats(
            ending=self._ending,
            prompt_tokens=usage.prompt_tokens,
            evaluated_tokens=max(usage.prompt_tokens - usage.cached_tokens, 0),
            reply_tokens=usage.reply_tokens or self._pieces,
            ttft_ms=(first_at - self._asked_at) * 1000,
        )

    def close(self) -> None:
        """Nobody wants the rest. Idempotent."""
        self._closed = True
        if self._answer is not None:
            self._answer.close()

    async def __aiter__(self) -> AsyncGenerator[Words]:
        breaker = self._server.breaker
        if not breaker.admits(clock.now()):
            metrics.ENGINE_FAILED.labels("llm").inc()
            raise EngineFailed("llm", "left alone")
        told = False
        try:
            async with aclosing(self._texts()) as texts:
                async for text in texts:
                    if not told:
                        told = True
                        breaker.succeeded()
                    self._spoke = self._spoke or bool(text.strip())
                    yield Words(text)
            if not self._spoke and not self.asked.calls and not self._stale:
                raise EngineFailed("llm", EMPTY)
        except EngineFailed as failure:
            if self._stale:
                return
            metrics.ENGINE_FAILED.labels("llm").inc()
            told = told or failure.reason not in _OWN
            if failure.reason not in _OWN:
                breaker.failed(clock.now())
            raise
        finally:
            self.close()
            metrics.LLM_TOKENS.labels("evaluated").inc(self.stats.evaluated_tokens)
            metrics.LLM_TOKENS.labels("drawn").inc(self.stats.reply_tokens)
            if not told:
                breaker.unknown()

    @property
    def _stale(self) -> bool:
        return self._closed or self._ticket.stale

    async def _texts(self) -> AsyncGenerator[str]:
        """What may be spoken of it. Raises EngineFailed."""
        await self._ask(self._body())
        while not self._stale:
            delta = await self._next()
            if self._stale or delta.done:
                break
            yield self._take(delta)
            if self._cleaner.stopped or self._pieces > self._max_tokens:
                break
        if not self._stale and (rest := self._last()):
            yield rest

    def _last(self) -> str:
        """What was held back, once no more will come."""
        for name, arguments in self._calls.values():
            self._sieve.feed(chat.call(name, arguments).encode())
        held, self.asked = self._sieve.end()
        return self._cleaner.feed(held) + self._cleaner.end()

    def _take(self, delta: chat.Delta) -> str:
        """What a line adds to the text."""
        self._usage = delta if delta.prompt_tokens else self._usage
        self._pieces += bool(delta.text) or delta.thought
        for part in delta.calls:
            name, arguments = self._calls.get(part.number, ("", ""))
            self._calls[part.number] = (name or part.name, arguments + part.arguments)
        text = self._cleaner.feed(self._sieve.feed(delta.text.encode()))
        if self._cleaner.stopped:
            self._ending = Ending.STOP
        elif delta.ending or self._pieces > self._max_tokens:
            self._ending = Ending.LENGTH if delta.ending in ("length", "") else Ending.STOP
        return text

    async def _ask(self, body: chat.Json) -> None:
        url = f"{self._server.url}/v1/chat/completions"
        try:
            async with asyncio.timeout_at(self._first_by):
                answer = await self._server.http.post(url, json=body, allow_redirects=False)
        except TimeoutError as error:  # aiohttp's own for the connection is one, too
            connecting = isinstance(error, aiohttp.ClientError)
            reason = "unreachable" if connecting else "deadline passed"
            raise EngineFailed("llm", reason) from None
        except (aiohttp.ClientError, OSError, ValueError):
            raise EngineFailed("llm", "unreachable") from None
        self._answer = answer
        if answer.status != 200:
            raise EngineFailed("llm", chat.reason_of(answer.status))

    async def _next(self) -> chat.Delta:
        """The next line that says something. Raises EngineFailed."""
        try:
            async with asyncio.timeout_at(self._by()):
                delta = await self._line()
        except TimeoutError:
            delta, reason = None, "deadline passed"
        except (aiohttp.ClientError, OSError):
            delta, reason = None, "broken off"
        except (ValueError, chat.Garbled):  # a line without an end is a ValueError
            delta, reason = None, "garbled"
        else:
            reason = "failed" if delta is not None and delta.trouble else "broken off"
        if self._ending is not Ending.CANCELLED and (delta is None or delta.trouble):
            return chat.Delta(done=True)  # the text was whole; only the counts are missing
        if delta is None or delta.trouble:
            raise EngineFailed("llm", reason)
        if self._first_at is None:
            self._first_at = clock.now()
        return delta

    async def _line(self) -> chat.Delta | None:
        """None: the stream is over."""
        assert self._answer is not None
        while line := await self._answer.content.readline():
            delta = chat.delta(line)
            if delta is not None and delta != _NOTHING:
                return delta
        return None

    def _by(self) -> float:
        """Until when to wait for the next line, on the loop's clock."""
        if self._first_at is None:
            return self._first_by
        now = asyncio.get_running_loop().time()
        if self._ending is not Ending.CANCELLED:
            return now + _COUNTS_S
        return now + self._server.settings.remote.next_token_deadline_ms / 1000


_NOTHING = chat.Delta()
