"""Chromium, headless, driven from a test: a page, its scripts' values, its picture.

Over the DevTools protocol, which is JSON over one WebSocket. It does not know the page.
"""

import asyncio
import base64
import itertools
import json
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from websockets.asyncio.client import ClientConnection, connect

NEEDED = pytest.mark.skipif(shutil.which("chromium") is None, reason="needs chromium")

_FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--use-fake-device-for-media-stream",
    "--use-fake-ui-for-media-stream",
    "--autoplay-policy=no-user-gesture-required",
    "--disable-background-networking",
    "--no-first-run",
    "--remote-debugging-port=0",
]
_START_S = 30.0


class Page:
    """One page of a browser."""

    def __init__(self, socket: ClientConnection) -> None:
        self.requests: list[str] = []
        """Every address that the page asked for."""
        self.complaints: list[str] = []
        """What the browser holds against it: errors, and violations of its policy."""
        self._socket = socket
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}

    async def listen(self) -> None:
        async for message in self._socket:
            told = json.loads(message)
            match told:
                case {"id": number}:
                    self._waiting.pop(number).set_result(told)
                case {"method": "Network.requestWillBeSent", "params": params}:
                    self.requests.append(params["request"]["url"])
                case {"method": "Log.entryAdded", "params": {"entry": {"level": "error"} as entry}}:
                    self.complaints.append(f"{entry['text']} {entry.get('url', '')}")
                case {"method": "Runtime.exceptionThrown", "params": params}:
                    self.complaints.append(json.dumps(params["exceptionDetails"])[:500])

    async def command(self, method: str, **params: Any) -> dict[str, Any]:
        """Asks the browser for something; its answer."""
        number = next(self._numbers)
        self._waiting[number] = asyncio.get_running_loop().create_future()
        await self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
        told = await self._waiting[number]
        assert "error" not in told, told
        result: dict[str, Any] = told["result"]
        return result

    async def value(self, expression: str) -> Any:
        """What an expression comes to in the page; a promise is waited for."""
        how = {"returnByValue": True, "awaitPromise": True, "userGesture": True}
        told = await self.command("Runtime.evaluate", expression=expression, **how)
        assert "exceptionDetails" not in told, told["exceptionDetails"]
        return told["result"].get("value")

    async def until(self, expression: str, seconds: float) -> Any:
        """Waits until an expression is true in the page; its value."""
        text = json.dumps(expression)
        async with asyncio.timeout(seconds):
            while not (found := await self.value(f"(v => v instanceof Node || v)(eval({text}))")):  # noqa: ASYNC110
                await asyncio.sleep(0.1)
        return found

    async def picture(self, path: Path, width: int, height: int) -> None:
        """The page at a size, as a PNG."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        await self.command("Emulation.setDeviceMetricsOverride", **size)
        await asyncio.sleep(0.3)
        told = await self.command("Page.captureScreenshot", format="png")
        path.write_bytes(base64.b64decode(told["data"]))  # noqa: ASYNC240


@asynccontextmanager
async def browsing(url: str, microphone: Path, profile: Path) -> AsyncIterator[Page]:
    """A browser with one page and a recording for a microphone, played once."""
    own = [f"--user-data-dir={profile}", f"--use-file-for-fake-audio-capture={microphone}%noloop"]
    process = await asyncio.create_subprocess_exec(
        *("chromium", *_FLAGS, *own, "about:blank"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        async with connect(await _address(profile), max_size=None) as socket:
            page = Page(socket)
            listening = asyncio.ensure_future(page.listen())
            for part in ("Page", "Runtime", "Network", "Log"):
                await page.command(f"{part}.enable")
            await page.command("Page.navigate", url=url)
            await page.until("document.readyState == 'complete'", _START_S)
            yield page
            listening.cancel()
            await asyncio.wait({listening})
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def _address(profile: Path) -> str:
    """The WebSocket of the first page."""
    port_file = profile / "DevToolsActivePort"
    async with asyncio.timeout(_START_S):
        while not (port_file.exists() and port_file.read_text().count("\n")):  # noqa: ASYNC110
            await asyncio.sleep(0.1)
        port = port_file.read_text().split("\n")[0]
        async with aiohttp.ClientSession() as http:
            while True:
                async with http.get(f"http://127.0.0.1:{port}/json/list") as reply:
                    pages = [one for one in await reply.json() if one["type"] == "page"]
                if pages:
                    return str(pages[0]["webSocketDebuggerUrl"])
                await asyncio.sleep(0.1)
