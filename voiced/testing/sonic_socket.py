"""The WebSocket half of the fake Sonic: contexts that speak a tone, and every way to misbehave.

A context speaks its submissions in order, faster than real time, ends when it is told to or has
been silent for a second, and goes on with what it has begun when it is cancelled, as the vendor's
does. It does not know HTTP.
"""

import asyncio
import base64
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum, auto
from typing import Any

import numpy as np
from aiohttp import WSMsgType, web

TONE_HZ = 440
LEVEL = 6000
_CHUNK_S = 0.1
_ENCODING = "pcm_s16le"


class Misdeed(StrEnum):
    """What goes wrong, in the clause that comes next or in all of them."""

    NONE = auto()
    CLOSE = auto()  # hangs up in the middle of a clause
    STALL = auto()  # falls silent in the middle of a clause
    SILENT = auto()  # never says anything
    BUSY = auto()  # 429
    REFUSE = auto()  # 400
    NAMELESS = auto()  # an error without a context's name
    GARBAGE = auto()  # what is not JSON, in the middle of a clause
    EXPIRE = auto()  # forgets contexts at once
    ENDLESS = auto()  # never stops speaking


@dataclass(slots=True)
class Manner:
    """How the fake behaves; may be changed while it runs."""

    misdeed: Misdeed = Misdeed.NONE
    pace: float = 20.0
    """Seconds of sound made in one second."""
    ttfb_s: float = 0.02
    letter_s: float = 0.05
    """Seconds of sound for each letter."""
    expiry_s: float = 1.0
    flushes: bool = True
    """Tells flush_done behind each submission."""
    structured: bool = False
    """Errors have the shape of version 2026-03-01."""
    odd: bool = False
    """Chunks end in the middle of a sample."""
    key: str = ""
    """Must be shown; empty: none is needed."""
    capacity: int = 8
    """Told by the metrics page."""


@dataclass(slots=True)
class Journal:
    """What the fake was asked, for tests to look at. It holds made-up text only."""

    requests: list[dict[str, Any]] = field(default_factory=list)
    connections: int = 0
    cancelled: list[str] = field(default_factory=list)
    cloned: list[dict[str, str]] = field(default_factory=list)

    @property
    def transcripts(self) -> list[str]:
        """What was to be said, in order."""
        return [str(one["transcript"]) for one in self.requests if one.get("transcript")]

    @property
    def contexts(self) -> list[str]:
        """Names in order of their first submission."""
        return list(dict.fromkeys(str(one.get("context_id")) for one in self.requests))


class Connection:
    """One client's socket."""

    def __init__(self, socket: web.WebSocketResponse, manner: Manner, journal: Journal) -> None:
        self._socket = socket
        self._manner = manner
        self._journal = journal
        self._contexts: dict[str, asyncio.Queue[dict[str, Any]]] = {}
        self._speakers: set[asyncio.Task[None]] = set()

    async def serve(self) -> None:
        """Until the client leaves, or is hung up on."""
        async with asyncio.TaskGroup() as tasks:
            async for message in self._socket:
                if message.type is not WSMsgType.TEXT:
                    break
                request = json.loads(message.data)
                if request.get("cancel"):
                    self._journal.cancelled.append(request["context_id"])
                else:
                    self._journal.requests.append(request)
                    await self._submit(request, tasks)
            for speaker in list(self._speakers):
                speaker.cancel()

    async def _submit(self, request: dict[str, Any], tasks: asyncio.TaskGroup) -> None:
        name = str(request.get("context_id"))
        wrong = complaint(request)
        if wrong is not None:
            await self._error(name, 400, wrong)
        elif name in self._contexts:
            self._contexts[name].put_nowait(request)
        elif any(one.get("context_id") == name for one in self._journal.requests[:-1]):
            await self._error(name, 400, "Context has expired")
        else:
            queue: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
            queue.put_nowait(request)
            self._contexts[name] = queue
            speaker = tasks.create_task(self._speak(name, queue))
            self._speakers.add(speaker)
            speaker.add_done_callback(self._speakers.discard)

    async def _speak(self, name: str, queue: asyncio.Queue[dict[str, Any]]) -> None:
        """One context, from its first submission to its end."""
        flush = 0
        try:
            while True:
                async with asyncio.timeout(self._manner.expiry_s):
                    request = await queue.get()
                if request["transcript"].strip():
                    await self._say(name, request)
                    if self._manner.misdeed is Misdeed.EXPIRE:
                        del self._contexts[name]
                        return await self._flushed(name, 1)
                if not request.get("continue"):
                    return await self._send(name, {"type": "done", "done": True})
                if self._manner.flushes or request.get("flush"):
                    flush += 1
                    await self._flushed(name, flush)
        except (TimeoutError, ConnectionError):
            return
        finally:
            self._contexts.pop(name, None)

    async def _say(self, name: str, request: dict[str, Any]) -> None:
        misdeed = self._manner.misdeed
        if misdeed is Misdeed.SILENT:
            await asyncio.sleep(3600)
        await asyncio.sleep(self._manner.ttfb_s)
        if misdeed in (Misdeed.BUSY, Misdeed.REFUSE, Misdeed.NAMELESS):
            status = 429 if misdeed is Misdeed.BUSY else 400
            named = None if misdeed is Misdeed.NAMELESS else name
            await self._error(named, status, "it went wrong")
            raise ConnectionError
        for index, sound in enumerate(self._chunks(request)):
            if index == 2:
                await self._misbehave(misdeed)
            data = base64.b64encode(sound).decode()
            await self._send(name, {"type": "chunk", "data": data, "step_time": 1.0})
            await asyncio.sleep(_CHUNK_S / self._manner.pace)

    def _chunks(self, request: dict[str, Any]) -> Iterator[bytes]:
        seconds = len(request["transcript"].strip()) * self._manner.letter_s
        if self._manner.misdeed is Misdeed.ENDLESS:
            seconds = 3600.0
        hz = request["output_format"]["sample_rate"]
        return chunks(seconds, hz, odd=self._manner.odd)

    async def _misbehave(self, misdeed: Misdeed) -> None:
        match misdeed:
            case Misdeed.CLOSE:
                await self._socket.close()
                raise ConnectionError
            case Misdeed.STALL:
                await asyncio.sleep(3600)
            case Misdeed.GARBAGE:
                await self._socket.send_str('{"type": "chunk", "data": ')

    async def _flushed(self, name: str, flush: int) -> None:
        await self._send(name, {"type": "flush_done", "flush_done": True, "flush_id": flush})

    async def _send(self, name: str | None, body: dict[str, Any]) -> None:
        whole = {"done": False, "status_code": 206, **body}
        if name is not None:
            whole["context_id"] = name
        if self._socket.closed:
            raise ConnectionError
        await self._socket.send_str(json.dumps(whole))

    async def _error(self, name: str | None, status: int, sentence: str) -> None:
        shape = error(status, sentence, structured=self._manner.structured)
        await self._send(name, {"type": "error", "done": True, **shape})


def chunks(seconds: float, hz: int, *, odd: bool = False) -> Iterator[bytes]:
    """A tone, in the sizes that it is sent."""
    begin, end, size = 0, int(seconds * hz), int(_CHUNK_S * hz)
    rest = b""
    while begin < end:
        stop = min(begin + size, end)
        angle = np.arange(begin, stop) * (2 * np.pi * TONE_HZ / hz)
        sound = rest + (LEVEL * np.sin(angle)).astype("<i2").tobytes()
        cut = len(sound) - 1 if odd and stop < end else len(sound)
        yield sound[:cut]
        begin, rest = stop, sound[cut:]


def complaint(request: dict[str, Any]) -> str | None:
    """Why a request is wrong; None when it is not."""
    wanted = {"model_id": str, "transcript": str, "voice": dict, "output_format": dict}
    for key, kind in wanted.items():
        if not isinstance(request.get(key), kind):
            return f"Invalid {key}"
    if request["voice"].get("mode") != "id" or not request["voice"].get("id"):
        return "Invalid voice"
    form = request["output_format"]
    if form.get("container") != "raw" or form.get("encoding") != _ENCODING:
        return "Invalid output_format"
    return None


def error(status: int, sentence: str, *, structured: bool) -> dict[str, Any]:
    """An error's fields in the old or in the new shape."""
    if not structured:
        return {"status_code": status, "error": f"Bad Request: {sentence}"}
    code = "concurrency_limited" if status == 429 else "bad_request"
    return {
        "status_code": status,
        "error_code": code,
        "title": "Bad Request",
        "message": sentence,
        "request_id": "fake",
    }


def event_lines(
    sounds: Iterable[bytes], request: dict[str, Any], before: str = "", after: str = "\n"
) -> list[bytes]:
    """A clause as events, each a line of JSON: SSE's, and those of SageMaker's container."""
    events: list[dict[str, Any]] = [
        {"type": "chunk", "data": base64.b64encode(sound).decode(), "done": False}
        for sound in sounds
    ]
    events.append({"type": "done", "done": True})
    common = {"status_code": 206, "step_time": 1.0, "context_id": request.get("context_id", "")}
    return [f"{before}{json.dumps({**common, **event})}{after}".encode() for event in events]
