"""A fake Ink: hears a word in each quarter of a second that is no silence, and can misbehave.

It speaks the protocol of the endpoint where the client ends a turn. The real one cannot be had
without a contract. It does not know who asks.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import StrEnum, auto
from typing import Any

import numpy as np
from aiohttp import WSMsgType, web

HZ = 16_000
WORD_S = 0.25
WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
"""What it hears, over and over, from the first word of a connection on."""


class Misdeed(StrEnum):
    """What goes wrong, from the next message on."""

    NONE = auto()
    REFUSE = auto()  # the upgrade, with the manner's status
    HANG = auto()  # the upgrade is never answered
    CLOSE = auto()  # closes at `finalize`, before the words
    ABORT = auto()  # breaks the connection while sound comes
    MUTE = auto()  # never answers `finalize`
    LATE = auto()  # answers it after seconds
    FLUSH_FIRST = auto()  # says that all was read, then sends the words
    FLUSH_TWICE = auto()
    NO_FLUSH = auto()  # sends the words, and never says that they are all
    TWICE = auto()  # sends the last words twice
    STALE_INTERIM = auto()  # sends an older reading behind the last words
    EMPTY = auto()  # hears nothing
    GARBAGE = auto()  # what is no JSON
    LIST = auto()  # JSON that is no object
    NUMBER = auto()  # a text that is none
    UNKNOWN = auto()  # kinds and fields that nobody knows, binary once
    COMPLAIN = auto()  # an error that means nothing, and goes on
    FAIL_OLD = auto()  # an error of the old shape, and says nothing more
    FAIL_NEW = auto()  # the same in the new shape
    BUSY = auto()  # 429 within the connection, and does not answer


def _error(status: int) -> str:
    body = {"title": "Error", "message": "it", "status_code": status, "error_code": None}
    return json.dumps({"type": "error", **body})


_ODD = {
    Misdeed.GARBAGE: ['{"type": "transcript", "text": '],
    Misdeed.LIST: ["[]"],
    Misdeed.NUMBER: ['{"type": "transcript", "text": 7, "is_final": true}'],
    Misdeed.FAIL_OLD: ['{"type": "error", "message": "Failed: it", "request_id": "r"}'],
    Misdeed.FAIL_NEW: [_error(500)],
    Misdeed.BUSY: [_error(429)],
    Misdeed.UNKNOWN: ['{"type": "weather", "text": "sunny", "is_final": true}'],
    Misdeed.COMPLAIN: [_error(400)],
}
"""What is sent at `finalize`, before the answer or in its place."""

_UNANSWERED = frozenset(_ODD) - {Misdeed.UNKNOWN, Misdeed.COMPLAIN} | {Misdeed.CLOSE, Misdeed.MUTE}


@dataclass(slots=True)
class Manner:
    """How the fake behaves; may be changed while it runs."""

    misdeed: Misdeed = Misdeed.NONE
    answer_s: float = 0.02
    """From `finalize` to the words."""
    late_s: float = 1.5
    status: int = 429
    """Of a refused upgrade."""
    key: str = ""
    """Must be shown; empty: none is needed."""
    commits: bool = False
    """Makes words final by itself, as ink-whisper does."""


@dataclass(slots=True)
class Journal:
    """What the fake was asked, for tests to look at."""

    queries: list[list[tuple[str, str]]] = field(default_factory=list)
    """Of each connection that was taken, in order, repeats included."""
    raw: list[str] = field(default_factory=list)
    """The same as they were sent."""
    texts: list[str] = field(default_factory=list)
    samples: int = 0
    odd: int = 0
    """Messages that ended in the middle of a sample."""


class FakeInk:
    """`async with FakeInk() as fake:` serves at `fake.url` until the end."""

    def __init__(self, manner: Manner | None = None) -> None:
        self.manner = manner or Manner()
        self.journal = Journal()
        self._port = 0
        self._requests: list[web.Request] = []
        self._taken = asyncio.Condition()
        app = web.Application()
        app.add_routes([web.get("/stt/websocket", self._socket)])
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)

    async def __aenter__(self) -> "FakeInk":
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self._port).start()
        self._port = int(self._runner.addresses[0][1])
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.hang_up()
        await self._runner.cleanup()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    async def connected(self, times: int = 1) -> None:
        """Returns when so many connections have been taken."""
        async with self._taken:
            await self._taken.wait_for(lambda: len(self.journal.queries) >= times)

    async def hang_up(self) -> None:
        """Breaks every connection without a word, as a killed process does."""
        for request in list(self._requests):
            if request.transport is not None:
                request.transport.abort()
        await asyncio.sleep(0)

    async def _socket(self, request: web.Request) -> web.StreamResponse:
        if self.manner.misdeed is Misdeed.HANG:
            await asyncio.sleep(3600)
        if self.manner.misdeed is Misdeed.REFUSE:
            return web.Response(status=self.manner.status)
        if self.manner.key and request.headers.get("X-API-Key") != self.manner.key:
            return web.Response(status=401)
        if "Cartesia-Version" not in request.headers:
            return web.Response(status=400)
        self.journal.queries.append([*request.query.items()])
        self.journal.raw.append(request.raw_path)
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        async with self._among(request):
            async with self._taken:
                self._taken.notify_all()
            await _Connection(socket, request, self.manner, self.journal).serve()
        return socket

    @asynccontextmanager
    async def _among(self, request: web.Request) -> AsyncIterator[None]:
        self._requests.append(request)
        try:
            yield
        finally:
            self._requests.remove(request)


class _Connection:
    """One client's socket."""

    def __init__(
        self, socket: web.WebSocketResponse, request: web.Request, manner: Manner, journal: Journal
    ) -> None:
        self._socket = socket
        self._request = request
        self._manner = manner
        self._journal = journal
        self._heard_s = 0.0
        self._told = 0
        """Words that are final."""

    async def serve(self) -> None:
        """Until the client leaves, or is hung up on."""
        async for message in self._socket:
            if message.type is WSMsgType.BINARY:
                await self._sound(message.data)
            elif message.type is WSMsgType.TEXT:
                self._journal.texts.append(message.data)
                if message.data == "finalize":
                    await self._finalize()
                else:
                    await self._socket.send_str(_error(400))

    @property
    def _words(self) -> int:
        return int(self._heard_s / WORD_S + 0.5)

    async def _sound(self, data: bytes) -> None:
        self._journal.odd += len(data) % 2
        pcm = np.frombuffer(data[: len(data) & ~1], "<i2")
        self._journal.samples += len(pcm)
        if self._manner.misdeed is Misdeed.ABORT:
            assert self._request.transport is not None
            return self._request.transport.abort()
        before = self._words
        self._heard_s += np.count_nonzero(pcm) / HZ
        if self._words > before and self._manner.misdeed is not Misdeed.EMPTY:
            await self._text(final=self._manner.commits)

    async def _finalize(self) -> None:
        misdeed = self._manner.misdeed
        await asyncio.sleep(self._manner.late_s if misdeed is Misdeed.LATE else 0)
        await asyncio.sleep(self._manner.answer_s)
        if not await self._oddly(misdeed):
            return
        told = self._told
        if misdeed is Misdeed.FLUSH_FIRST:
            await self._send({"type": "flush_done"})
        if misdeed is Misdeed.EMPTY:
            self._told = self._words
        elif self._words > told:
            await self._text(final=True)
            if misdeed is Misdeed.TWICE:
                await self._words_from(told, final=True)
            if misdeed is Misdeed.STALE_INTERIM:
                await self._words_from(told, final=False)
        if misdeed not in (Misdeed.NO_FLUSH, Misdeed.FLUSH_FIRST):
            await self._send({"type": "flush_done"})
        if misdeed is Misdeed.FLUSH_TWICE:
            await self._send({"type": "flush_done"})

    async def _oddly(self, misdeed: Misdeed) -> bool:
        """Does what is odd instead of an answer, or before it; whether one follows."""
        if misdeed is Misdeed.CLOSE:
            await self._socket.close(code=1011)
        for message in _ODD.get(misdeed, ()):
            await self._socket.send_str(message)
        if misdeed is Misdeed.UNKNOWN:
            await self._socket.send_bytes(b'{"type": "weather"}')
        return misdeed not in _UNANSWERED

    async def _text(self, *, final: bool) -> None:
        begin, self._told = self._told, self._words if final else self._told
        await self._words_from(begin, final=final)

    async def _words_from(self, begin: int, *, final: bool) -> None:
        said = [WORDS[n % len(WORDS)] for n in range(begin, self._words)]
        text = (" " if begin else "") + " ".join(said)
        body = {"type": "transcript", "text": text, "is_final": final, "request_id": "r"}
        await self._send({**body, "duration": self._heard_s, "words": [{"word": "?"}]})

    async def _send(self, body: dict[str, Any]) -> None:
        if not self._socket.closed:
            await self._socket.send_str(json.dumps(body))
