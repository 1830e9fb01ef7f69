"""One reply on the server: its clauses in, their sound out, in order, each wait with a deadline.

    submission ... chunk chunk chunk flush_done     the clause is whole; the context waits for more
    submission ... chunk chunk  (quiet)             it is ended; `done` says that it was whole
                                       ending ... done

The second way is for servers that tell no flush_done. It does not know calls, or when a reply is
over.
"""

import asyncio
import secrets
from dataclasses import dataclass
from typing import assert_never

import numpy as np

from voiced.audio.pcm import SPEAKING_HZ, Pcm
from voiced.cartesia import api
from voiced.config.sonic import Sonic
from voiced.errors import EngineFailed, Stale
from voiced.flow.cancel import Ticket
from voiced.tts.model import Sink
from voiced.tts.sonic import wire
from voiced.tts.sonic.link import Link

_LONGEST_S = 60.0
"""Of one clause, both sound and waiting; a server that goes on longer has lost its way."""


class Expired(Exception):
    """The server closed the context between two clauses; nothing of the second was said."""


@dataclass(slots=True)
class _Progress:
    """Of one clause."""

    begun_at: float
    heard_at: float | None = None
    samples: int = 0

    def by(self, sonic: Sonic, *, ended: bool) -> float:
        """Until when to wait for the next event."""
        if self.heard_at is None:
            return self.begun_at + sonic.first_chunk_deadline_ms / 1000
        patience_s = sonic.next_chunk_deadline_ms / 1000
        return self.heard_at + (patience_s if ended else patience_s / 2)


class Context:
    """Main loop only; one clause at a time."""

    def __init__(self, link: Link, fields: api.Message, sonic: Sonic) -> None:
        """`fields` are `wire.manner`'s."""
        self._link = link
        self._fields = fields
        self._sonic = sonic
        self._name = secrets.token_hex(8)
        self._events = link.attach(self._name)
        self._clauses = 0
        self._ended = False
        self._odd = b""

    @property
    def open(self) -> bool:
        """Another clause may be said in it."""
        return not self._ended and self._link.attached(self._name)

    async def speak(self, text: str, sink: Sink, ticket: Ticket) -> float:
        """Says a clause; returns its seconds. Raises EngineFailed, Stale or Expired."""
        loop = asyncio.get_running_loop()
        progress = _Progress(loop.time())
        self._link.send(wire.submission(self._fields, self._name, text))
        while not self._whole(await self._next(progress), progress, sink, ticket):
            seconds = progress.samples / SPEAKING_HZ
            if max(seconds, loop.time() - progress.begun_at) > _LONGEST_S:
                raise EngineFailed("tts", "endless")
        self._clauses += 1
        return progress.samples / SPEAKING_HZ

    def end(self) -> None:
        """Nothing more will be said."""
        self._link.send(wire.ending(self._fields, self._name))
        self._ended = True

    def cancel(self) -> None:
        """Nobody wants the rest: what comes all the same is dropped."""
        self._link.detach(self._name)
        self._link.send(wire.cancellation(self._name))

    def detach(self) -> None:
        self._link.detach(self._name)

    async def _next(self, progress: _Progress) -> wire.Event:
        while True:
            try:
                async with asyncio.timeout_at(progress.by(self._sonic, ended=self._ended)):
                    return await self._events.get()
            except TimeoutError:
                if self._ended or not progress.samples:
                    raise EngineFailed("tts", "late") from None
                self.end()

    def _whole(self, event: wire.Event, progress: _Progress, sink: Sink, ticket: Ticket) -> bool:
        """Takes an event in; returns whether the clause is whole."""
        if ticket.stale:
            raise Stale("tts")
        if self._events.dropped:
            raise EngineFailed("tts", "overrun")
        match event:
            case wire.Chunk(_, sound):
                pcm = self._pcm(sound)
                if len(pcm):
                    progress.heard_at = asyncio.get_running_loop().time()
                    progress.samples += len(pcm)
                    sink(pcm)
                return False
            case wire.FlushDone():
                # one that comes before any sound belongs to an earlier clause
                return progress.samples > 0
            case wire.Done():
                self._ended = True
                if not progress.samples:
                    raise self._nothing("silent")
                return True
            case wire.Trouble(context, reason):
                expired = context is not None and reason == "refused" and not progress.samples
                raise self._nothing(reason) if expired else EngineFailed("tts", reason)
            case _:
                assert_never(event)

    def _nothing(self, reason: str) -> Exception:
        """No sound came: in a context that has spoken before, because it has expired."""
        return Expired() if self._clauses else EngineFailed("tts", reason)

    def _pcm(self, sound: bytes) -> Pcm:
        whole = self._odd + sound
        self._odd = whole[len(whole) & ~1 :]
        pcm: Pcm = np.frombuffer(whole[: len(whole) & ~1], "<i2").astype(np.int16)
        return pcm
