"""A fake Sonic: speaks the vendor's protocol, its voice is a tone, and it can misbehave.

The real one cannot be had without a contract. `python -m voiced.testing.sonic` runs one as a
program of its own, which can be killed. It does not know who asks.
"""

import argparse
import asyncio
import json
import sys
from typing import Any

from aiohttp import web

from voiced.testing.sonic_socket import (
    Connection,
    Journal,
    Manner,
    chunks,
    complaint,
    error,
    event_lines,
)

_VOICES = (
    {"id": "11111111-aaaa-4bbb-8ccc-000000000001", "name": "Jia", "language": "ko"},
    {"id": "11111111-aaaa-4bbb-8ccc-000000000002", "name": "Ada", "language": "en"},
)
_CLIP_BYTES = 32 << 20


class FakeSonic:
    """`async with FakeSonic() as fake:` serves at `fake.url` until the end."""

    def __init__(self, manner: Manner | None = None, port: int = 0) -> None:
        self.manner = manner or Manner()
        self.journal = Journal()
        self._port = port
        self._requests: list[web.Request] = []
        app = web.Application(client_max_size=_CLIP_BYTES)
        app.add_routes(
            [
                web.get("/status", self._status),
                web.get("/metrics", self._metrics),
                web.get("/voices", self._voices),
                web.post("/voices/clone", self._clone),
                web.post("/tts/bytes", self._bytes),
                web.post("/tts/sse", self._sse),
                web.get("/tts/websocket", self._socket),
            ]
        )
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)

    async def __aenter__(self) -> "FakeSonic":
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self._port).start()
        self._port = int(self._runner.addresses[0][1])
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    async def close(self) -> None:
        """Takes no more connections, and breaks those that it has. Idempotent."""
        await self.hang_up()
        await self._runner.cleanup()

    async def hang_up(self) -> None:
        """Breaks every connection without a word, as a killed process does."""
        for request in list(self._requests):
            if request.transport is not None:
                request.transport.abort()
        await asyncio.sleep(0)

    async def _status(self, _request: web.Request) -> web.Response:
        return web.json_response({"ok": True})

    async def _metrics(self, _request: web.Request) -> web.Response:
        page = "# TYPE inferno_worker_capacity gauge\n"
        return web.Response(text=f"{page}inferno_worker_capacity {self.manner.capacity}\n")

    async def _voices(self, request: web.Request) -> web.Response:
        self._admit(request)
        after = request.query.get("starting_after")
        names = [voice["id"] for voice in _VOICES]
        page = _VOICES[names.index(after) + 1 :] if after in names else _VOICES
        return web.json_response({"data": page[:1], "has_more": len(page) > 1})

    async def _clone(self, request: web.Request) -> web.Response:
        self._admit(request)
        fields: dict[str, str] = {}
        async for part in await request.multipart():
            content = await part.read()  # type: ignore[union-attr]  # the vendor's form is flat
            fields[str(part.name)] = str(len(content)) if part.name == "clip" else content.decode()  # type: ignore[union-attr]
        if not {"clip", "name", "language"} <= set(fields):
            raise self._refused(400, "Missing field")
        self.journal.cloned.append(fields)
        cloned = {"id": "11111111-aaaa-4bbb-8ccc-000000000099", "is_public": False}
        return web.json_response({**fields, **cloned})

    async def _bytes(self, request: web.Request) -> web.Response:
        asked = await self._asked(request)
        return web.Response(body=b"".join(self._sound(asked)))

    async def _sse(self, request: web.Request) -> web.StreamResponse:
        asked = await self._asked(request)
        return web.Response(
            body=b"".join(event_lines(self._sound(asked), asked, "data: ", "\n\n")),
            content_type="text/event-stream",
        )

    async def _socket(self, request: web.Request) -> web.StreamResponse:
        self._admit(request)
        self.journal.connections += 1
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        self._requests.append(request)
        try:
            await Connection(socket, self.manner, self.journal).serve()
        finally:
            self._requests.remove(request)
        return socket

    async def _asked(self, request: web.Request) -> dict[str, Any]:
        self._admit(request)
        asked: dict[str, Any] = await request.json()
        if (wrong := complaint(asked)) is not None:
            raise self._refused(400, wrong)
        return asked

    def _admit(self, request: web.Request) -> None:
        """Raises HTTP 401, or 400 for a request that names no version."""
        shown = request.headers.get("X-API-Key") or request.headers.get("Authorization", "")[7:]
        if self.manner.key and shown != self.manner.key:
            raise self._refused(401, "Invalid API key")
        if "Cartesia-Version" not in request.headers and "cartesia_version" not in request.query:
            raise self._refused(400, "Missing version")

    def _refused(self, status: int, sentence: str) -> web.HTTPException:
        body = json.dumps(error(status, sentence, structured=True))
        kind = web.HTTPUnauthorized if status == 401 else web.HTTPBadRequest
        return kind(text=body, content_type="application/json")

    def _sound(self, asked: dict[str, Any]) -> list[bytes]:
        seconds = len(asked["transcript"].strip()) * self.manner.letter_s
        return list(chunks(seconds, asked["output_format"]["sample_rate"]))


async def _serve(manner: Manner, port: int) -> None:
    async with FakeSonic(manner, port) as fake:
        sys.stdout.write(f"{fake.url}\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


def main() -> None:
    """Writes the address on the first line of stdout, and serves until it is killed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--pace", type=float, default=Manner().pace)
    args = parser.parse_args()
    asyncio.run(_serve(Manner(pace=args.pace), args.port))


if __name__ == "__main__":
    main()
