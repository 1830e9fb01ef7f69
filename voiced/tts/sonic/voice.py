"""A voice of Sonic's: a call cannot tell it from one that is resident here.

The clauses of a reply go into one context, so that its melody goes on from clause to clause; nobody
says when a reply is over, so a context that rests for a moment is ended. It does not know what
happens after a failure (`voiced.tts.relay`).
"""

import asyncio
from dataclasses import dataclass

from voiced.audio.pcm import to_float
from voiced.config.sonic import Sonic
from voiced.config.sonic import SonicVoice as Written
from voiced.errors import EngineFailed, Stale
from voiced.flow.cancel import Live, Take, Ticket
from voiced.ops import metrics
from voiced.tts.lexicon import NO_WORDS, Lexicon
from voiced.tts.loudness import leveled
from voiced.tts.model import Sink, Spoken
from voiced.tts.sonic import wire
from voiced.tts.sonic.context import Context, Expired
from voiced.tts.sonic.link import Link
from voiced.tts.sonic.transcript import pronounced, transcript
from voiced.words import Words

_RESTING_S = 0.8
"""The server forgets a context about a second after its last sound."""

_WARMING = Words("1, 2, 3.")
"""Can be said in every language."""


@dataclass(frozen=True, slots=True)
class _Rest:
    """A context whose next clause may come, and the timer that ends it otherwise."""

    context: Context
    timer: asyncio.TimerHandle


class SonicVoice:
    """A Voice. Main loop only; sinks are called there too."""

    def __init__(
        self, link: Link, sonic: Sonic, written: Written, lexicon: Lexicon = NO_WORDS
    ) -> None:
        """`lexicon`: the site's words, in the voice's language."""
        self._lexicon = lexicon
        self.name = written.name
        self._link = link
        self._sonic = sonic
        self._fields = wire.manner(sonic, written)
        self._gain = written.gain
        self._resting: dict[tuple[str, Take], _Rest] = {}

    async def speak(self, clause: Words, sink: Sink, ticket: Ticket, *, first: bool) -> Spoken:
        """As `Voice.speak` says; the server has no urgency, so `first` changes nothing."""
        text = pronounced(transcript(clause.reveal()), self._lexicon)
        if not text:
            return Spoken(0.0)
        if ticket.stale:
            raise Stale("tts")
        metrics.SONIC_CHARACTERS.inc(len(text))
        try:
            return Spoken(await self._say(text, self._leveled(sink), ticket))
        except EngineFailed:
            if ticket.stale:
                raise Stale("tts") from None
            metrics.ENGINE_FAILED.labels("tts").inc()
            raise

    async def warm(self) -> None:
        """Speaks once into nothing: key, model and voice are right. Raises EngineFailed."""
        live = Live()
        await self.speak(_WARMING, _nowhere, Ticket("warming", live.take, live), first=False)

    def close(self) -> None:
        """Ends what rests."""
        while self._resting:
            self._end(next(iter(self._resting)))

    def _leveled(self, sink: Sink) -> Sink:
        if self._gain == 1.0:
            return sink
        return lambda pcm: sink(leveled(to_float(pcm), self._gain))

    async def _say(self, text: str, sink: Sink, ticket: Ticket) -> float:
        resting = self._resting.pop((ticket.call, ticket.take), None)
        if resting is not None:
            resting.timer.cancel()
            if resting.context.open:
                try:
                    return await self._say_in(resting.context, text, sink, ticket)
                except Expired:
                    pass  # a new one, with a new melody
        await self._link.open()
        return await self._say_in(
            Context(self._link, self._fields, self._sonic), text, sink, ticket
        )

    async def _say_in(self, context: Context, text: str, sink: Sink, ticket: Ticket) -> float:
        try:
            seconds = await context.speak(text, sink, ticket)
        except BaseException:
            context.cancel()
            raise
        if context.open:
            self._rest((ticket.call, ticket.take), context)
        else:
            context.detach()
        return seconds

    def _rest(self, key: tuple[str, Take], context: Context) -> None:
        loop = asyncio.get_running_loop()
        self._resting[key] = _Rest(context, loop.call_later(_RESTING_S, self._end, key))

    def _end(self, key: tuple[str, Take]) -> None:
        rest = self._resting.pop(key)
        rest.timer.cancel()
        if rest.context.open:
            rest.context.end()
        rest.context.detach()


def _nowhere(_: object) -> None:
    """A sink for what nobody hears."""
