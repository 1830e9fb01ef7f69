"""One call's connection to Ink: sound of a turn goes in as it grows, and comes out as words.

    turn      [speech ........][pause
    sent       ~~~~~ ~~~~~ ~~~~~ finalize
    pieces         .     .     .        ..  flush_done

A turn is sent piece by piece while it grows. What was sent already is not sent again: where the
caller speaks on behind a `finalize`, the next words join those before. It does not know calls, or
who reads a turn that gets no answer here.
"""

import asyncio
from collections.abc import Mapping

import numpy as np

from voiced.audio.pcm import HEARING_HZ, Pcm
from voiced.cartesia.line import Line
from voiced.config.ink import Ink
from voiced.errors import EngineFailed
from voiced.stt.ink import wire
from voiced.words import Words

_PART = HEARING_HZ // 10
"""Samples of a message, as the vendor's own clients send them."""

_LOOSE = HEARING_HZ // 5
"""At the end of what there is so far there is silence in the place of sound that has not come."""

_TWICE = 2
"""Words that somebody may say twice in a row; more in one piece are the same piece again."""

_ALIVE_S = 10.0
"""A connection on which nothing is sent for 20 s may be closed by the server."""


class Stream:
    """Main loop only; one thing at a time."""

    def __init__(self, ink: Ink, url: str, headers: Mapping[str, str]) -> None:
        """`url` is `wire.url`'s."""
        self._ink = ink
        self._line = Line("ink", url, headers, ink.connect_deadline_ms / 1000, self)
        self._changed = asyncio.Event()
        self._forget()

    def _forget(self) -> None:
        """Nothing has been sent, and nothing is expected."""
        self._sent: Pcm = np.zeros(0, np.int16)
        self._finals: list[str] = []
        self._latest = ""
        self._asked = 0
        self._answered = 0
        self._settled = True
        """All that was sent has been asked for."""
        self._since_asked = 0
        """Final pieces with words that came since then."""
        self._reason: str | None = None

    async def keep(self) -> None:
        """Keeps the connection open and alive, until it is cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._line.keep(), name="ink-line")
            while True:
                await asyncio.sleep(_ALIVE_S)
                self._line.send(bytes(2 * _PART))

    @property
    def so_far(self) -> Words:
        """What was read of the turn, its last words included, which may change."""
        return Words("".join([*self._finals, self._latest]).strip())

    async def grow(self, pcm: Pcm) -> None:
        """Sends what is new of a turn that grows. Raises EngineFailed when it cannot be read."""
        await self._begin(pcm)
        self._send(pcm[len(self._sent) : max(len(pcm) - _LOOSE, len(self._sent))])

    async def read(self, pcm: Pcm) -> Words:
        """The words of a whole turn. Raises EngineFailed when they do not come in time."""
        await self._begin(pcm)
        self._send(pcm[len(self._sent) :])
        await self._flush()
        return Words("".join(self._finals).strip())

    async def _begin(self, pcm: Pcm) -> None:
        """What was sent before is the beginning of `pcm`, or nothing."""
        if not await self._line.opened():
            raise EngineFailed("stt", "unreachable")
        if self._reason is not None:
            self._forget()  # of the connection before: all of the turn is sent on this one
        known = max(len(self._sent) - _LOOSE, 0)
        if len(self._sent) <= len(pcm) and np.array_equal(self._sent[:known], pcm[:known]):
            return
        if not self._settled or self._answered < self._asked:
            await self._flush()
        self._forget()

    async def _flush(self) -> None:
        """Asks for all that was sent to be read, and waits for it."""
        self._asked += 1
        self._since_asked = 0
        self._settled = True
        self._line.send(wire.FINALIZE)
        try:
            async with asyncio.timeout(self._ink.final_deadline_ms / 1000):
                while self._answered < self._asked:
                    await self._next()
        except TimeoutError:
            self._line.hang_up()  # what comes now would be taken for another turn's
            raise EngineFailed("stt", "late") from None
        if not self._since_asked:
            try:
                async with asyncio.timeout(self._ink.grace_ms / 1000):
                    while not self._since_asked:
                        await self._next()
            except TimeoutError:
                pass  # there was nothing more to read

    async def _next(self) -> None:
        """Waits for news. Raises EngineFailed when it is that the connection is lost."""
        await self._changed.wait()
        self._changed.clear()
        if self._reason is not None:
            reason = self._reason
            self._forget()
            raise EngineFailed("stt", reason)

    def _send(self, pcm: Pcm) -> None:
        for begin in range(0, len(pcm), _PART):
            self._line.send(pcm[begin : begin + _PART].astype("<i2").tobytes())
        if len(pcm):
            self._sent = np.concatenate([self._sent, pcm])
            self._settled = False

    def heard(self, raw: str | bytes) -> None:
        """See Ear."""
        match wire.event(raw):
            case wire.Piece(text, final=True):
                self._final(text.reveal())
            case wire.Piece(text):
                self._latest = text.reveal()
            case wire.Flushed():
                self._answered = min(self._answered + 1, self._asked)
            case wire.Trouble(reason, lasting=True):
                self.lost(reason)
                self._line.hang_up()
            case _:
                return
        self._changed.set()

    def _final(self, text: str) -> None:
        """Whole words that are the piece before once more were sent twice, and said once."""
        again = self._finals[-1:] == [text] and len(text.split()) > _TWICE
        if not again:
            self._finals.append(text)
        self._latest = ""
        self._since_asked += bool(text.strip())

    def lost(self, reason: str) -> None:
        """See Ear."""
        self._forget()
        self._reason = reason
        self._changed.set()
