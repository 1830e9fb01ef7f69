"""Reads what the caller says while it is still said: at the pause only the last words are new.

    [speech ........................][pause
          ^ pass     ^ pass    ^ pass
                     what both read is stable: the language model has it before the pause,
                     and whoever listens for an emergency is told at once

A pass is made only while the recogniser has nothing else to do, gives way to a final that comes,
and the next waits for several times as long as the last one took: under load there are few, and
then none; nor are there any while the daemon leaves them out. The words that are answered do not
depend on it: they are read afresh at the pause.

It does not know turns: it is told where the caller's speech began.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace

from voiced.audio.pcm import HEARING_HZ
from voiced.call.hearing import Hearing
from voiced.call.parts import Casting, Engines, Source
from voiced.call.strain import Measure
from voiced.call.transcript import Transcript
from voiced.errors import EngineFailed, Stale
from voiced.flow.cancel import Ticket
from voiced.stt.model import Partial, Partials, Utterance
from voiced.turn.orders import Span
from voiced.turn.take import Take
from voiced.words import Words

_REST = 4
"""A pass takes a fifth of the recogniser's time at most."""


@dataclass(frozen=True, slots=True)
class Line:
    """Where one call's sound and words are."""

    source: Source
    hearing: Hearing
    transcript: Transcript
    casting: Casting


class Ahead:
    """One call's. Main loop only."""

    def __init__(
        self,
        line: Line,
        engines: Engines,
        pace_s: float,
        now: Callable[[], float],
        tell: Callable[[Take, Words], None],
    ) -> None:
        """`pace_s`: from one pass to the next, at least; 0 makes none.

        `tell` is told what is stable, each time that there is more of it.
        """
        self._line = line
        self._engines = engines
        self._pace_s = pace_s
        self._now = now
        self._tell = tell

    async def follow(self, spans: tuple[Span, ...], ticket: Ticket) -> None:
        """Reads until it is cancelled, or the take dies; `spans`: the last of them is open."""
        partials = self._engines.partials
        if partials is None or not self._pace_s:
            return
        try:
            await self._follow(partials, spans, ticket)
        except (EngineFailed, Stale):
            return  # the final will tell

    async def _follow(self, partials: Partials, spans: tuple[Span, ...], ticket: Ticket) -> None:
        read: Partial | None = None
        rest_s = self._pace_s
        while True:
            await asyncio.sleep(rest_s)
            begun = self._now()
            if self._engines.strain.leaves_out(Measure.PARTIALS, begun):
                continue
            so_far = self._so_far(spans, ticket.take.turn)
            before, read = read, await partials.partial(so_far, read, ticket)
            self._line.hearing.leanings.read(read.leaning)
            if read.stable and (before is None or before.stable != read.stable):
                self._tell(ticket.take, read.stable)
                history = self._line.transcript.asking(ticket.take, read.stable)
                await self._engines.slot.prefill(history, ticket)
            rest_s = max(self._pace_s, _REST * (self._now() - begun))

    def _so_far(self, spans: tuple[Span, ...], turn: int) -> Utterance:
        grown = replace(spans[-1], stop=max(self._line.source.ring.written, spans[-1].start))
        spans = (*spans[:-1], grown)
        spoken_s = sum(span.stop - span.start for span in spans) / HEARING_HZ
        pcm = self._line.hearing.cut(spans)
        utterance = Utterance(pcm, self._line.casting.language, voiced_s=spoken_s)
        return self._line.hearing.leaning(utterance, turn)
