"""Calls over a WebSocket, by OpenAI's own client and by programs that misbehave; fake engines."""

import asyncio
import base64
from collections.abc import Awaitable, Callable
from typing import Any, cast

import numpy as np
import pytest
from openai import AsyncOpenAI
from openai.resources.realtime.realtime import AsyncRealtimeConnection
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.flow.test_call import GREETING_S
from tests.process.socket_site import TOKEN, Site, serving
from voiced import clock
from voiced.realtime.socket import LARGEST

pytestmark = [pytest.mark.process, pytest.mark.timeout(60)]

Story = Callable[[Site, AsyncRealtimeConnection], Awaitable[Any]]


def held(story: Story, site: Site | None = None) -> Any:
    """What a story makes of a call that OpenAI's client has placed."""

    async def main() -> Any:
        async with serving(site or Site()) as open_site:
            stock = AsyncOpenAI(base_url=f"{open_site.url}/v1", api_key=TOKEN)
            async with stock.realtime.connect(model="gpt-realtime") as connection:
                told = await story(open_site, connection)
            await stock.close()
            return told

    return asyncio.run(main())


async def until(connection: AsyncRealtimeConnection, kind: str) -> list[Any]:
    """Events up to the first of a kind."""
    events: list[Any] = []
    async with asyncio.timeout(20):
        while not events or events[-1].type != kind:
            events.append(await connection.recv())
    return events


def sound(events: list[Any]) -> np.ndarray[Any, Any]:
    deltas = [e.delta for e in events if e.type == "response.output_audio.delta"]
    return np.frombuffer(b"".join(base64.b64decode(delta) for delta in deltas), "<i2")


def tone(seconds: float) -> bytes:
    at = np.arange(int(seconds * 24_000)) / 24_000
    return bytes((8000 * np.sin(2 * np.pi * 440 * at)).astype("<i2").tobytes())


async def append(connection: AsyncRealtimeConnection, pcm: bytes) -> None:
    await connection.input_audio_buffer.append(audio=base64.b64encode(pcm).decode())


def test_a_reply_comes_whole_as_deltas_between_its_beginning_and_its_end() -> None:
    async def story(_site: Site, connection: AsyncRealtimeConnection) -> list[Any]:
        return await until(connection, "response.done")

    events = held(story)

    kinds = [event.type for event in events]
    assert "session.created" == kinds[0]
    greeting = sound(events)
    assert (GREETING_S * 24_000, {1000}) == (len(greeting), set(greeting.tolist()))
    first = kinds.index("response.output_audio.delta")
    assert kinds.index("response.content_part.added") < first
    assert kinds.index("response.output_audio.done") > len(kinds) - 1 - kinds[::-1].index(
        "response.output_audio.delta"
    )
    assert 1 == kinds.count("response.done")


def test_sound_comes_a_little_ahead_of_its_time_and_no_more() -> None:
    """A program that plays what it gets never has more than a fifth of a second to throw away."""

    async def story(_site: Site, connection: AsyncRealtimeConnection) -> list[tuple[float, float]]:
        progress, samples, begun = [], 0, 0.0
        while True:
            event = await connection.recv()
            if event.type == "response.done":
                return progress
            if event.type == "response.output_audio.delta":
                begun = begun or clock.now()
                samples += len(base64.b64decode(event.delta)) // 2
                progress.append((clock.now() - begun, samples / 24_000))

    progress = held(story)

    # a busy machine delivers late, never early
    assert max(sent - at for at, sent in progress) < 0.2 + 0.06
    assert 0.7 < progress[-1][0] < 3.0


def test_what_is_appended_is_what_the_detector_hears() -> None:
    async def story(site: Site, connection: AsyncRealtimeConnection) -> Any:
        await until(connection, "session.created")
        for _ in range(10):
            await append(connection, tone(0.1))
            await asyncio.sleep(0.1)
        [source] = site.vad.sources.values()
        ring = cast(Any, source).ring
        return ring.copy(0, ring.written).astype(float)

    heard = held(story)

    loud = heard[np.abs(heard) > 1]
    assert 14_000 < len(loud) <= 16_500
    pitch = np.argmax(np.abs(np.fft.rfft(heard))) * 16_000 / len(heard)
    assert 440 == pytest.approx(pitch, abs=3)


def test_a_turn_is_heard_and_answered() -> None:
    async def story(site: Site, connection: AsyncRealtimeConnection) -> list[Any]:
        events = await until(connection, "response.done")
        await append(connection, tone(0.5))
        site.vad.spoke(clock.now(), 16_000, 24_000)
        return events + await until(connection, "response.done")

    site = Site()
    site.stt.texts, site.llm.replies = ["Where do I park?"], ["In the garage."]
    events = held(story, site)

    kinds = [event.type for event in events]
    assert kinds.index("input_audio_buffer.committed") < kinds.index(
        "conversation.item.input_audio_transcription.completed"
    )
    assert "In the garage." == events[-1].response.output[0].content[0].transcript
    # 50 ms a letter, as the fake voice speaks
    assert 14 * 0.05 * 24_000 == pytest.approx(len(sound(events)) - GREETING_S * 24_000, abs=480)


def test_what_was_sent_and_cannot_have_been_played_was_not_heard() -> None:
    async def story(_site: Site, connection: AsyncRealtimeConnection) -> tuple[int, int]:
        events = await until(connection, "response.output_audio.delta")
        await asyncio.sleep(0.3)
        await connection.response.cancel()
        events += await until(connection, "response.done")
        [cut] = [e for e in events if e.type == "conversation.item.truncated"]
        return cut.audio_end_ms, len(sound(events)) // 24

    heard_ms, sent_ms = held(story)

    # a fifth of a second ahead, and 60 ms that a loudspeaker takes
    assert 150 <= sent_ms - heard_ms <= 300
    assert 100 <= heard_ms


def test_closing_the_socket_ends_the_call_and_frees_its_place() -> None:
    async def main() -> tuple[int, int]:
        async with serving(Site()) as site:
            address = site.url.replace("http", "ws") + "/v1/realtime"
            async with connect(address) as wire:
                await wire.recv()
                during = site.desk.calls
            async with asyncio.timeout(5):
                await site.desk.drain(10.0)
            return during, site.llm.opened

    assert (1, 0) == asyncio.run(main())


def status(site: Site, path: str = "/v1/realtime", **more: Any) -> int:
    """What the upgrade is answered with: 101 where it is granted."""

    async def main() -> int:
        async with serving(site) as open_site:
            try:
                async with connect(open_site.url.replace("http", "ws") + path, **more) as wire:
                    await wire.recv()
                    return 101
            except InvalidStatus as refused:
                return refused.response.status_code

    return asyncio.run(main())


def shown(token: str) -> dict[str, Any]:
    return {"additional_headers": {"Authorization": f"Bearer {token}"}}


def as_a_page_shows(token: str) -> dict[str, Any]:
    return {"subprotocols": ["realtime", f"openai-insecure-api-key.{token}"]}


def test_the_site_s_token_is_asked_for_before_the_upgrade() -> None:
    assert 401 == status(Site(token=True))
    assert 401 == status(Site(token=True), **shown("not-the-token"))
    assert 101 == status(Site(token=True), **shown(TOKEN))


def test_a_client_token_is_taken_as_header_and_as_subprotocol() -> None:
    site = Site(token=True)
    token, _ = site.passes.issue(None, 60)

    assert 101 == status(site, **shown(token))
    assert 101 == status(Site(token=True), **as_a_page_shows(token))
    assert 401 == status(Site(token=True), **as_a_page_shows(token + "x"))


def test_a_client_token_reaches_its_own_agent_alone() -> None:
    site = Site(token=True)
    token, _ = site.passes.issue("nobody", 60)

    assert 404 == status(site, "/v1/realtime?agent=desk", **shown(token))


def test_a_page_of_another_origin_is_refused() -> None:
    """A browser sends no preflight for a WebSocket: the origin is all that there is."""
    assert 403 == status(Site(), origin="https://elsewhere.example")


def test_who_finds_no_room_is_told_over_http() -> None:
    assert 503 == status(Site(most=0))


def test_a_second_channel_of_a_call_is_refused_and_so_is_a_plain_get() -> None:
    assert 400 == status(Site(), "/v1/realtime?call_id=rtc_1")


def ended(misdeed: Callable[[ClientConnection], Awaitable[Any]]) -> int | None:
    """The code with which a call is closed after a misdeed."""

    async def main() -> int | None:
        async with (
            serving(Site()) as site,
            connect(site.url.replace("http", "ws") + "/v1/realtime") as wire,
        ):
            await misdeed(wire)
            try:
                async with asyncio.timeout(20):
                    while True:
                        await wire.recv()
            except ConnectionClosed as closed:
                return closed.rcvd.code if closed.rcvd is not None else None

    return asyncio.run(main())


def test_a_message_that_is_too_large_ends_the_call() -> None:
    async def misdeed(wire: ClientConnection) -> None:
        await wire.send("x" * (LARGEST + 1))

    assert 1009 == ended(misdeed)


@pytest.mark.parametrize(
    ("audio", "code"),
    [
        (None, "missing_parameter"),
        ("no base64!", "invalid_value"),
        ("AA==", "invalid_value"),
        ("\ud800", "invalid_json"),
    ],
)
def test_sound_that_is_none_is_told_and_the_call_goes_on(audio: object, code: str) -> None:
    async def story(_site: Site, connection: AsyncRealtimeConnection) -> str:
        await connection.send(cast(Any, {"type": "input_audio_buffer.append", "audio": audio}))
        events = await until(connection, "error")
        await until(connection, "response.done")
        return str(events[-1].error.code)

    assert code == held(story)
