"""One clause on its way from a voice to a sink, a chunk at a time.

It knows how far its sound is ahead of the ear, and whether anybody still wants it; not how sound is
made, nor who else speaks.
"""

from collections.abc import Iterator

from voiced import clock
from voiced.audio.pcm import SPEAKING_HZ, Pcm
from voiced.errors import Stale
from voiced.flow.cancel import Ticket
from voiced.gpu.worker import Urgency
from voiced.tts.model import Sink

AHEAD_S = 1.0
"""A clause with more sound than this to spare lets those with less go first: longer than a chunk of
each of a few calls takes on one core."""


class Speech:
    """`step` runs on the voice's thread, one at a time; the rest may be read on any."""

    def __init__(self, chunks: Iterator[Pcm], sink: Sink, ticket: Ticket) -> None:
        self._samples = 0
        self._chunks = chunks
        self._sink = sink
        self._ticket = ticket
        self._begun_at = 0.0

    @property
    def seconds(self) -> float:
        """Of sound that the sink got."""
        return self._samples / SPEAKING_HZ

    @property
    def urgency(self) -> Urgency:
        """Of the next chunk: it can wait while enough of this clause lies ahead of the ear."""
        ahead_s = self._begun_at + self.seconds - clock.now()
        return Urgency.SPARE if ahead_s > AHEAD_S else Urgency.NEXT

    def step(self) -> bool:
        """Computes the next chunk and gives it to the sink; false when there was none left."""
        for chunk in self._chunks:
            if self._ticket.stale:
                raise Stale("tts")
            if len(chunk):
                self._begun_at = self._begun_at or clock.now()
                self._sink(chunk)
                self._samples += len(chunk)
                return True
        return False
