"""OpenAI's @openai/agents in a browser, unchanged: a spoken call with a tool and an interruption.

The page comes from another server, as a site's own would; the daemon names its origin.
"""

import asyncio
import json
import socket
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
import soxr
from aiohttp import web

from tests.process import stock
from tests.process.chromium import NEEDED, browsing
from tests.process.conftest import Daemon, Serve
from tests.process.npm_file import fetched

pytestmark = [pytest.mark.process, pytest.mark.timeout(300), NEEDED]

LATE_S = 120.0
LONG = (
    "You can visit every day from ten until eight. Please bring your own slippers, and leave "
    "flowers at the desk. The ward is on the third floor, behind the second door on the left. "
    "There is a lift beside the main entrance, and the stairs are at the end of the corridor."
)
ASKS_AT = (14.0, 27.0)
"""Seconds of the recording; the second time is in the middle of a long answer."""

PAGE = """<!doctype html><meta charset="utf-8"><script src="/agents.js"></script><script>
const { RealtimeAgent, RealtimeSession, OpenAIRealtimeWebRTC, tool } = OpenAIAgentsRealtime;
window.events = []; window.tools = 0; window.session = null;
async function call(key, url) {
  const raw = { echoCancellation: false, noiseSuppression: false, autoGainControl: false };
  const mediaStream = await navigator.mediaDevices.getUserMedia({ audio: raw });
  const parameters = { type: "object", properties: {}, required: [], additionalProperties: false };
  const find = tool({
    name: "find_ward", description: "Finds the ward of a patient.", parameters,
    execute: async () => { tools += 1; return FOUND; },
  });
  const agent = new RealtimeAgent({ name: "desk", instructions: "Be kind.", tools: [find] });
  session = new RealtimeSession(agent, { transport: new OpenAIRealtimeWebRTC({ mediaStream }) });
  session.on("transport_event", event => events.push(event));
  await session.connect({ apiKey: key, url });
  window.connected = true;
}
</script>"""


def microphone(path: Path) -> Path:
    """The question, twice, 48 kHz as Chromium wants it."""
    question, hz = soundfile.read(stock.QUESTION, dtype="float32")
    question = soxr.resample(question, hz, 48_000)
    pcm = np.zeros(int((ASKS_AT[-1] + 60.0) * 48_000), np.float32)
    for at in ASKS_AT:
        begin = int(at * 48_000)
        pcm[begin : begin + len(question)] = question
    soundfile.write(path, pcm, 48_000, subtype="PCM_16")
    return path


def secret(daemon: Daemon) -> str:
    """A client token, as the site's own server gets one for its page."""
    request = urllib.request.Request(
        f"{daemon.url}/v1/realtime/client_secrets",
        b"{}",
        {"Authorization": f"Bearer {stock.TOKEN}"},
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        return str(json.load(answer)["value"])


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[socket.socket]:
    """Where the site's own server listens."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening


@pytest.fixture(scope="module")
def daemon(
    serve: Serve, tmp_path_factory: pytest.TempPathFactory, elsewhere: socket.socket
) -> Iterator[Daemon]:
    with stock.thinking(LONG) as model:
        origin = json.dumps(f"http://127.0.0.1:{elsewhere.getsockname()[1]}")
        yield stock.started(serve, tmp_path_factory.mktemp("site"), model, origin)


def test_a_spoken_conversation_with_a_tool_and_an_interruption(
    daemon: Daemon, elsewhere: socket.socket, tmp_path: Path
) -> None:
    bundle = fetched(
        "@openai/agents-realtime",
        "0.20.0",
        "package/dist/bundle/openai-realtime-agents.umd.js",
        "d6a56973e9ec59a69d2254739f31c8b36bf8c3b3bc346f111956d67aa81c35be",
    )

    async def page(_request: web.Request) -> web.Response:
        text = PAGE.replace("FOUND", json.dumps(stock.FOUND))
        return web.Response(text=text, content_type="text/html")

    async def script(_request: web.Request) -> web.FileResponse:
        return web.FileResponse(bundle)

    async def story() -> dict[str, Any]:
        app = web.Application()
        app.router.add_get("/", page)
        app.router.add_get("/agents.js", script)
        runner = web.AppRunner(app)
        await runner.setup()
        await web.SockSite(runner, elsewhere).start()
        origin = f"http://127.0.0.1:{runner.addresses[0][1]}"
        try:
            recording = microphone(tmp_path / "microphone.wav")
            async with browsing(origin + "/", recording, tmp_path / "profile") as browser:
                key = await asyncio.to_thread(secret, daemon)
                await browser.value(f"void call({key!r}, {daemon.calls_url!r})")
                await browser.until("window.connected", LATE_S)
                cut = "events.some(e => e.type == 'conversation.item.truncated')"
                await browser.until(cut, LATE_S)
                await browser.until("tools == 2", LATE_S)
                again = (
                    "events.findLastIndex(e => e.type == 'response.output_audio_transcript.delta')"
                )
                tool = (
                    "events.findLastIndex(e => e.type == 'response.function_call_arguments.done')"
                )
                await browser.until(f"{again} > {tool}", LATE_S)
                return {
                    "events": await browser.value("events"),
                    "history": await browser.value("session.history"),
                }
        finally:
            await runner.cleanup()

    found = asyncio.run(story())

    events = found["events"]
    heard = [e["transcript"] for e in events if e["type"].endswith("transcription.completed")]
    assert 2 == len(heard)
    assert all("visit my father" in text for text in heard)
    done = [event["response"] for event in events if event["type"] == "response.done"]
    cut = [response for response in done if response["status"] == "cancelled"]
    assert ["turn_detected"] == [response["status_details"]["reason"] for response in cut]
    said = cut[0]["output"][0]["content"][0]["transcript"]
    assert f"{stock.FOUND} {LONG}".startswith(said.split(".")[0])
    # what the agent's file says cannot be changed, and the program was told
    refused = {e["error"]["param"] for e in events if e["type"] == "error"}
    assert {"session.instructions", "session.tracing"} <= refused
    assert {"unsupported_value"} == {e["error"]["code"] for e in events if e["type"] == "error"}
    kinds = [(item["type"], item.get("role")) for item in found["history"]]
    assert 2 == kinds.count(("message", "user"))
    assert 2 == kinds.count(("function_call", None))
