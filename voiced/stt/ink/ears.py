"""One call's recogniser where Ink is used: Ink first, and the local one for what it does not read.

The sound of a turn is kept by the call, so nothing is lost with the connection: the local
recogniser reads the whole turn. It does not know sockets or when a turn is over.
"""

import asyncio
from typing import Protocol

from voiced import clock
from voiced.errors import EngineFailed, Stale
from voiced.flow.breaker import Breaker, Circuit
from voiced.flow.cancel import Ticket
from voiced.ops import log, metrics
from voiced.stt import growth
from voiced.stt.decoding import compression
from voiced.stt.ink.stream import Stream
from voiced.stt.model import Heard, Partial, Partials, SpeechToText, Utterance
from voiced.words import Words


class Local(SpeechToText, Partials, Protocol):
    """A recogniser of this machine."""


class InkEars:
    """A SpeechToText, and Partials. Main loop only."""

    def __init__(
        self, stream: Stream, local: Local, breaker: Breaker, keeper: asyncio.Task[None]
    ) -> None:
        """`keeper` keeps the stream's connection; `breaker` is of all calls."""
        self._stream = stream
        self._local = local
        self._breaker = breaker
        self._keeper = keeper
        self._turn = asyncio.Lock()

    async def transcribe(self, utterance: Utterance, ticket: Ticket) -> Heard:
        """See SpeechToText."""
        text = await self._read(utterance, ticket)
        if not text:  # where the detector heard speech and Ink read none, somebody may have spoken
            return await self._local.transcribe(utterance, ticket)
        return Heard(
            text=text,
            language=utterance.language,
            avg_logprob=0.0,
            no_speech=0.0,
            compression=compression(text.reveal()),
            tokens=len(text.reveal().split()),
        )

    async def partial(
        self, utterance: Utterance, before: Partial | None, ticket: Ticket
    ) -> Partial:
        """See Partials. What is sent now need not be sent at the pause."""
        if self._breaker.circuit is Circuit.CLOSED:
            try:
                async with self._turn:
                    await self._stream.grow(utterance.pcm)
            except EngineFailed as failure:
                self._failed(failure, ticket)
            else:
                if ticket.stale:
                    raise Stale("stt")
                return growth.grown(before, self._stream.so_far)
        return await self._local.partial(utterance, before, ticket)

    def close(self) -> None:
        """The call is over; the local recogniser goes on for the others."""
        self._keeper.cancel()

    async def _read(self, utterance: Utterance, ticket: Ticket) -> Words | None:
        """What Ink reads; None when it does not."""
        if not self._breaker.admits(clock.now()):
            return None
        told = False
        try:
            async with self._turn:
                text = await self._stream.read(utterance.pcm)
            told = True
            self._breaker.succeeded()
        except EngineFailed as failure:
            told = True
            self._failed(failure, ticket)
            return None
        finally:
            if not told:
                self._breaker.unknown()
        if ticket.stale:
            raise Stale("stt")
        return text

    def _failed(self, failure: EngineFailed, ticket: Ticket) -> None:
        self._breaker.failed(clock.now())
        reason = failure.reason.replace(" ", "-")
        metrics.INK_FAILURES.labels(reason).inc()
        log.warning("ink.fell_back", call=ticket.call, turn=ticket.take.turn, reason=reason)
