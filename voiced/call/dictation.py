"""What a caller says while the caller's program decides when a turn is over: kept until it commits.

    [cleared or committed .................... committed]
                          what is read

It does not know events, or what becomes of the words.
"""

import asyncio
import itertools

from voiced.audio.pcm import HEARING_HZ
from voiced.call.hearing import Hearing
from voiced.call.news import CallerDictated, Told
from voiced.call.parts import Source
from voiced.errors import EngineFailed, Stale
from voiced.flow.cancel import Live, Ticket
from voiced.turn.orders import Span
from voiced.words import Words

SHORTEST = HEARING_HZ // 10
"""Samples: less than that is no word."""


class Dictation:
    """One call's. Main loop only."""

    def __init__(self, call: str, source: Source, hearing: Hearing, tell: Told) -> None:
        self._call = call
        self._source = source
        self._hearing = hearing
        self._tell = tell
        self._numbers = itertools.count(1)
        self._live = Live()  # of its own: it goes on, whatever becomes of the turn
        self._begin = 0
        self._running: set[asyncio.Task[None]] = set()

    def clear(self) -> None:
        """What was said so far is not wanted."""
        self._begin = self._source.ring.written

    def commit(self, tasks: asyncio.TaskGroup) -> tuple[int, float] | None:
        """Begins to read what was said since the last time; CallerDictated tells, by this number.

        Returns the number and the seconds; None when there was too little.
        """
        written, capacity = self._source.ring.written, self._source.ring.capacity
        span = Span(max(self._begin, written - capacity), written)
        if span.stop - span.start < SHORTEST:
            return None
        self._begin = written
        number = next(self._numbers)
        task = tasks.create_task(self._read(number, span))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return number, (span.stop - span.start) / HEARING_HZ

    def close(self) -> None:
        """Ends what still runs."""
        for task in tuple(self._running):
            task.cancel()

    async def _read(self, number: int, span: Span) -> None:
        text: Words | None = None
        try:
            ticket = Ticket(self._call, self._live.take, self._live)
            text = (await self._hearing.dictated(span, ticket)).text
        except (EngineFailed, Stale):
            pass  # the program is told that there is no text
        self._tell(CallerDictated(number, text))
