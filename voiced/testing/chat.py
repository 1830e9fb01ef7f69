"""A fake OpenAI-compatible server: streams a fixed text word by word, and can misbehave.

`python -m voiced.testing.chat` runs one as a program of its own, which can be killed. It does not
know who asks, and keeps made-up conversations only.
"""

import argparse
import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import StrEnum, auto
from typing import Any

from aiohttp import web

MODEL = "fake"


class Misdeed(StrEnum):
    """What goes wrong with every reply, behind the first words where it says so."""

    NONE = auto()
    SILENT = auto()  # answers with headers, and no token ever comes
    STALL = auto()  # behind the first words, nothing more comes
    DIE = auto()  # behind the first words, the connection breaks
    GARBAGE = auto()  # behind the first words, what is no JSON
    TROUBLE = auto()  # behind the first words, an error in the stream
    BUSY = auto()  # 429
    FAIL = auto()  # 500
    REFUSE = auto()  # 400, with the conversation quoted
    EMPTY = auto()  # a reply of no words
    ENDLESS = auto()  # the text again and again, whatever `max_tokens` says
    THINK = auto()  # a long thought first
    CALL = auto()  # asks for the first tool that it was told of, with no arguments


@dataclass(slots=True)
class Manner:
    """How the fake behaves; may be changed while it runs."""

    text: str = "You can visit every day from ten until eight."
    misdeed: Misdeed = Misdeed.NONE
    token_s: float = 0.001
    looks_up: bool = False
    """Asks for the first tool before it answers, and begins its answer with what that returned."""
    key: str = ""
    """Must be shown; empty: none is needed."""


@dataclass(slots=True)
class FakeChat:
    """What was asked, and how each request ended."""

    manner: Manner = field(default_factory=Manner)
    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    ports: list[int] = field(default_factory=list)
    """The client's, for each reply."""
    sent: int = 0
    """Words, over all replies."""
    ended: int = 0
    """Replies that are no longer being made, however they ended."""

    async def models(self, request: web.Request) -> web.Response:
        self._admit(request)
        return web.json_response({"object": "list", "data": [{"id": MODEL}]})

    async def completions(self, request: web.Request) -> web.StreamResponse:
        self._admit(request)
        self.requests.append(await request.json())
        if request.transport is not None:
            self.ports.append(request.transport.get_extra_info("peername")[1])
        match self.manner.misdeed:
            case Misdeed.BUSY:
                return web.json_response({"error": {"message": "busy"}}, status=429)
            case Misdeed.FAIL:
                return web.json_response({"error": {"message": "failed"}}, status=500)
            case Misdeed.REFUSE:
                return web.json_response({"error": self.requests[-1]["messages"]}, status=400)
            case _:
                return await self._stream(request)

    async def _stream(self, request: web.Request) -> web.StreamResponse:
        answer = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await answer.prepare(request)
        try:
            await self._tell(answer, {"role": "assistant", "content": ""})
            await self._reply(request, answer)
        except ConnectionError:
            pass  # the client has closed the stream
        finally:
            self.ended += 1
        return answer

    async def _reply(self, request: web.Request, answer: web.StreamResponse) -> None:
        misdeed = self.manner.misdeed
        if misdeed is Misdeed.SILENT:
            await asyncio.sleep(3600)
        if misdeed is Misdeed.THINK:
            for _ in range(20):
                await self._tell(answer, {"reasoning_content": "hm "})
        found = self._found() if self.manner.looks_up else ""
        if found is None:
            await self._ask(answer)
        text = f"{found} {self.manner.text}".strip() if found is not None else ""
        words = [] if misdeed is Misdeed.EMPTY or not text else text.split(" ")
        for number, word in enumerate(words):
            if number == 2:
                await self._misbehave(request, answer)
            await self._tell(answer, {"content": word + " "})
        if misdeed is Misdeed.CALL:
            await self._ask(answer)
        while misdeed is Misdeed.ENDLESS:
            await self._tell(answer, {"content": "and so on "})
        await self._line(answer, {"choices": [{"delta": {}, "finish_reason": "stop"}]})
        usage = {"prompt_tokens": 100, "completion_tokens": len(words)}
        kept = {"prompt_tokens_details": {"cached_tokens": 90}}
        await self._line(answer, {"choices": [], "usage": usage | kept})
        await answer.write(b"data: [DONE]\n\n")

    def _found(self) -> str | None:
        """What a tool returned to the last question; None while none has been asked."""
        name = self.requests[-1]["tools"][0]["function"]["name"]
        asked, last = [{"content": ""}, *self.requests[-1]["messages"]][-2:]
        return str(last["content"]) if name in asked["content"] else None

    async def _ask(self, answer: web.StreamResponse) -> None:
        """Asks for the first tool, with no arguments."""
        name = self.requests[-1]["tools"][0]["function"]["name"]
        for function in ({"name": name, "arguments": "{"}, {"arguments": "}"}):
            await self._tell(answer, {"tool_calls": [{"index": 0, "function": function}]})

    async def _misbehave(self, request: web.Request, answer: web.StreamResponse) -> None:
        match self.manner.misdeed:
            case Misdeed.STALL:
                await asyncio.sleep(3600)
            case Misdeed.DIE if request.transport is not None:
                request.transport.abort()
                raise ConnectionResetError
            case Misdeed.GARBAGE:
                await answer.write(b"data: {]\n\n")
            case Misdeed.TROUBLE:
                await self._line(answer, {"error": {"message": "out of memory"}})
            case _:
                pass

    async def _tell(self, answer: web.StreamResponse, delta: dict[str, Any]) -> None:
        await asyncio.sleep(self.manner.token_s)
        await self._line(answer, {"choices": [{"delta": delta, "finish_reason": None}]})
        self.sent += 1

    async def _line(self, answer: web.StreamResponse, message: dict[str, Any]) -> None:
        await answer.write(f"data: {json.dumps(message)}\n\n".encode())

    def _admit(self, request: web.Request) -> None:
        """Raises HTTP 401."""
        if self.manner.key and request.headers.get("Authorization") != f"Bearer {self.manner.key}":
            raise web.HTTPUnauthorized


@asynccontextmanager
async def serving(manner: Manner | None = None, port: int = 0) -> AsyncIterator[FakeChat]:
    """Serves on loopback until the end."""
    fake = FakeChat(manner or Manner())
    # a client that goes is noticed at once, as the real servers do
    app = web.Application()
    app.add_routes(
        [
            web.get("/v1/models", fake.models),
            web.post("/v1/chat/completions", fake.completions),
        ]
    )
    runner = web.AppRunner(app, shutdown_timeout=0.1, handler_cancellation=True)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", port).start()
        fake.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        yield fake
    finally:
        await runner.cleanup()


async def _main(port: int, manner: Manner) -> None:
    async with serving(manner, port) as fake:
        sys.stdout.write(f"{fake.url}\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--token-s", type=float, default=0.02)
    parser.add_argument("--looks-up", action="store_true")
    parser.add_argument("--text", default=Manner().text)
    options = parser.parse_args()
    given = Manner(options.text, token_s=options.token_s, looks_up=options.looks_up)
    asyncio.run(_main(options.port, given))
