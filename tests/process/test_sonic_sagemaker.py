"""Sonic behind SageMaker through the real boto3: its signing, its framing, its errors."""

import asyncio
import json
import struct
import zlib
from collections.abc import Awaitable, Callable
from typing import Any

import boto3
import botocore.config
import botocore.exceptions as errors
import pytest
from aiohttp import web

from voiced.audio.pcm import SPEAKING_HZ
from voiced.config.sonic import SageMaker, Sonic, SonicVoice
from voiced.errors import EngineFailed
from voiced.flow.cancel import Live, Ticket
from voiced.testing.sonic_socket import chunks, event_lines
from voiced.tts.sonic.sagemaker import SageMakerLink
from voiced.tts.sonic.voice import SonicVoice as Voice
from voiced.words import Words

pytestmark = [pytest.mark.process, pytest.mark.timeout(60)]

CLAUSE = Words("Good morning.")
SONIC = Sonic(
    sagemaker=SageMaker(endpoint="sonic", region="eu-central-1", concurrency=2),
    first_chunk_deadline_ms=2_000,
    next_chunk_deadline_ms=500,
)

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


def framed(payload: bytes) -> bytes:
    """A part as AWS's event stream frames it: lengths, headers, payload, and two sums."""
    headers = b"".join(
        bytes([len(name)]) + name + b"\x07" + struct.pack(">H", len(value)) + value
        for name, value in (
            (b":event-type", b"PayloadPart"),
            (b":content-type", b"application/octet-stream"),
            (b":message-type", b"event"),
        )
    )
    lengths = struct.pack(">II", 16 + len(headers) + len(payload), len(headers))
    body = lengths + struct.pack(">I", zlib.crc32(lengths)) + headers + payload
    return body + struct.pack(">I", zlib.crc32(body))


async def speaking(request: web.Request) -> web.StreamResponse:
    """The container: 20 ms chunks, in parts that are cut where it happens to be."""
    assert "AWS4-HMAC-SHA256" in request.headers["Authorization"]
    assert request.path == "/endpoints/sonic/invocations-response-stream"
    asked = json.loads(await request.read())
    sounds = chunks(len(asked["transcript"].strip()) * 0.05, SPEAKING_HZ)
    whole = b"".join(event_lines(sounds, asked))
    answer = web.StreamResponse(headers={"Content-Type": "application/vnd.amazon.eventstream"})
    await answer.prepare(request)
    for begin in range(0, len(whole), 1000):
        await answer.write(framed(whole[begin : begin + 1000]))
    return answer


async def busy(_request: web.Request) -> web.StreamResponse:
    """As SageMaker passes on what the container refuses."""
    body = {"OriginalStatusCode": 429, "OriginalMessage": "busy", "Message": "busy"}
    return web.json_response(body, status=424, headers={"x-amzn-errortype": "ModelError"})


async def silent(_request: web.Request) -> web.StreamResponse:
    await asyncio.sleep(30)
    return web.Response()


async def spoken(answer: Answer) -> float:
    """The seconds of a clause that an endpoint of this kind speaks."""
    app = web.Application()
    app.router.add_post("/{rest:.*}", answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    runtime: Any = boto3.client(
        "sagemaker-runtime",
        region_name="eu-central-1",
        endpoint_url=f"http://127.0.0.1:{runner.addresses[0][1]}",
        aws_access_key_id="x",
        aws_secret_access_key="x",
        config=botocore.config.Config(read_timeout=1, retries={"total_max_attempts": 1}),
    )
    link = SageMakerLink(runtime, SONIC, errors)
    live = Live()
    voice = Voice(link, SONIC, SonicVoice(name="ada", id="v", language="en"))
    try:
        ticket = Ticket("a", live.take, live)
        said = [await voice.speak(CLAUSE, lambda _: None, ticket, first=True) for _ in range(2)]
        return sum(one.seconds for one in said) / 2
    finally:
        await asyncio.to_thread(link.close)
        await runner.cleanup()


def test_a_clause_is_spoken_through_the_endpoint() -> None:
    assert len(CLAUSE) * 0.05 == pytest.approx(asyncio.run(spoken(speaking)))


@pytest.mark.parametrize(
    ("answer", "reason"), [(busy, "busy"), (silent, "unreachable")], ids=["busy", "silent"]
)
def test_an_endpoint_that_fails_is_told_by_its_reason(answer: Answer, reason: str) -> None:
    with pytest.raises(EngineFailed) as failed:
        asyncio.run(spoken(answer))

    assert reason == failed.value.reason
