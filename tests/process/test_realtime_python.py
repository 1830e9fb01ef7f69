"""OpenAI's Python client, unchanged but for its base address: a spoken call, a tool, and a cut."""

import asyncio
import base64
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import soxr
from openai import AsyncOpenAI
from openai.resources.realtime.realtime import AsyncRealtimeConnection

from tests.process import stock
from tests.process.conftest import Daemon, Serve
from voiced import clock
from voiced.audio import file

pytestmark = [pytest.mark.process, pytest.mark.timeout(240)]

HZ = 24_000
PIECE_S = 0.04
LATE_S = 60.0


@pytest.fixture(scope="module")
def daemon(serve: Serve, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with stock.thinking() as model:
        yield stock.started(serve, tmp_path_factory.mktemp("site"), model)


class Microphone:
    """Sends silence in real time, and what it is given to say."""

    def __init__(self, connection: AsyncRealtimeConnection) -> None:
        self._connection = connection
        self._waiting = np.zeros(0, np.int16)

    def say(self) -> None:
        """Begins to ask the question."""
        pcm = file.read(stock.QUESTION, 16_000)
        self._waiting = soxr.resample(pcm.astype(np.float32), 16_000, HZ).astype(np.int16)

    async def run(self) -> None:
        begun, count, size = clock.now(), 0, int(PIECE_S * HZ)
        while True:
            piece, self._waiting = self._waiting[:size], self._waiting[size:]
            pcm = np.pad(piece, (0, size - len(piece))).astype("<i2")
            audio = base64.b64encode(pcm.tobytes()).decode()
            await self._connection.input_audio_buffer.append(audio=audio)
            count += 1
            await asyncio.sleep(max(begun + count * PIECE_S - clock.now(), 0.0))


class Program:
    """As OpenAI's guide writes one: it listens, plays, and runs the tools that it is asked for."""

    def __init__(self, connection: AsyncRealtimeConnection) -> None:
        self.events: list[Any] = []
        self.played = 0
        """Bytes of sound."""
        self._connection = connection
        self._told = asyncio.Event()

    async def run(self) -> None:
        async for event in self._connection:
            self.events.append(event)
            if event.type == "response.output_audio.delta":
                self.played += len(base64.b64decode(event.delta))
            if event.type == "response.done":
                await self._run_tools(event.response.output or [])
            self._told.set()

    async def _run_tools(self, output: list[Any]) -> None:
        calls = [item for item in output if item.type == "function_call"]
        for call in calls:
            item = {
                "type": "function_call_output",
                "call_id": call.call_id,
                "output": stock.FOUND,
            }
            await self._connection.conversation.item.create(item=item)  # type: ignore[arg-type]
        if calls:
            await self._connection.response.create()

    async def until(self, kind: str, count: int = 1) -> None:
        """Waits for so many events of a kind."""
        await self._until(lambda: [event.type for event in self.events].count(kind) >= count)

    async def until_played(self, played: int) -> None:
        """Waits for so many bytes of sound."""
        await self._until(lambda: self.played >= played)

    async def _until(self, so: Callable[[], bool]) -> None:
        async with asyncio.timeout(LATE_S):
            while not so():
                self._told.clear()
                await self._told.wait()


def test_a_spoken_conversation_with_a_tool_and_an_interruption(daemon: Daemon) -> None:
    async def story() -> list[Any]:
        client = AsyncOpenAI(base_url=f"{daemon.url}/v1", api_key=stock.TOKEN)
        async with client.realtime.connect(model="gpt-realtime") as connection:
            program, microphone = Program(connection), Microphone(connection)
            running = [
                asyncio.ensure_future(program.run()),
                asyncio.ensure_future(microphone.run()),
            ]
            await program.until("response.done")  # the greeting
            microphone.say()
            # the call of the tool is one response, what follows it the next
            await program.until("response.created", 3)
            await program.until_played(program.played + HZ)  # half a second of the answer
            microphone.say()
            await program.until("conversation.item.truncated")
            await program.until("response.done", 5)  # asked, and answered once more
            for task in running:
                task.cancel()
        await client.close()
        return program.events

    events = asyncio.run(story())

    kinds = [event.type for event in events]
    heard = [e.transcript for e in events if e.type.endswith("transcription.completed")]
    assert 2 == len(heard)
    assert all("visit my father" in text for text in heard)
    done = [event.response for event in events if event.type == "response.done"]
    calls = [[item.type for item in response.output or []] for response in done]
    assert [["message"], ["function_call"], ["message"], ["function_call"], ["message"]] == calls
    statuses = [response.status for response in done]
    assert ["completed", "completed", "cancelled", "completed", "completed"] == statuses
    assert "turn_detected" == done[2].status_details.reason
    answered = done[4].output[0].content[0].transcript
    assert answered.startswith(stock.FOUND)
    cut = next(event for event in events if event.type == "conversation.item.truncated")
    assert done[2].output[0].id == cut.item_id
    assert 200 < cut.audio_end_ms < 4000
    assert answered.startswith(done[2].output[0].content[0].transcript)
    assert len(done) == kinds.count("response.created")
    assert [] == [event.error.code for event in events if event.type == "error"]
