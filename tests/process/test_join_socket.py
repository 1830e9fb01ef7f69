"""A person joins a call whose caller came over a WebSocket: the slower way has both voices too."""

import asyncio
import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import numpy as np
import pytest

from tests.process.conftest import Daemon
from tests.process.test_operator import FLAGGED, HUM, LATE_S, daemon, state
from voiced.clock import now
from voiced.testing.caller import Caller

pytestmark = [pytest.mark.process, pytest.mark.timeout(240)]

__all__ = ["daemon"]

LOUD = 3000
WHOLE = 0.7
"""Three quarters of a sine of 8000 lie above LOUD."""
PIECE = 2400
"""Samples of 100 ms: as many programs send them."""


class Program:
    """A caller's program, which reads all the time."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.events: list[dict[str, Any]] = []
        self._socket = socket
        self._arrived = asyncio.Condition()

    async def read(self) -> None:
        async for message in self._socket:
            async with self._arrived:
                self.events.append(message.json())
                self._arrived.notify_all()

    async def until(self, kind: str, begin: int = 0) -> dict[str, Any]:
        """The first event of a kind, from that many on."""

        def found() -> dict[str, Any] | None:
            return next((e for e in self.events[begin:] if e["type"] == kind), None)

        async with asyncio.timeout(LATE_S), self._arrived:
            await self._arrived.wait_for(found)
        event = found()
        assert event is not None
        return event

    async def write(self, text: str) -> None:
        content = [{"type": "input_text", "text": text}]
        item = {"type": "message", "role": "user", "content": content}
        await self._socket.send_json({"type": "conversation.item.create", "item": item})
        await self._socket.send_json({"type": "response.create"})

    async def say(self, seconds: float) -> None:
        """A tone, in real time."""
        at = np.arange(int(seconds * 24_000)) / 24_000
        pcm = (8000 * np.sin(2 * np.pi * 300 * at)).astype("<i2")
        for begin in range(0, len(pcm), PIECE):
            audio = base64.b64encode(pcm[begin : begin + PIECE].tobytes()).decode()
            await self._socket.send_json({"type": "input_audio_buffer.append", "audio": audio})
            await asyncio.sleep(PIECE / 24_000)

    async def loudness(self, begin: int, least: float) -> float:
        """How much of the hum is loud in what came, once that much is; twice what comes twice."""

        def loud() -> float:
            return float((np.abs(self.sound(begin)) > LOUD).sum()) / (len(HUM) * 1.5)

        async with asyncio.timeout(LATE_S), self._arrived:
            await self._arrived.wait_for(lambda: loud() > least)
        await asyncio.sleep(0.5)
        return loud()

    def sound(self, begin: int) -> np.ndarray[Any, Any]:
        """What it was given to play, from that many events on."""
        deltas = [
            base64.b64decode(e["delta"])
            for e in self.events[begin:]
            if e["type"] == "response.output_audio.delta"
        ]
        return np.frombuffer(b"".join(deltas), "<i2")


@asynccontextmanager
async def calling(daemon: Daemon) -> AsyncIterator[Program]:
    headers = {"Authorization": "Bearer vk_ward"}
    async with (
        aiohttp.ClientSession(headers=headers) as http,
        http.ws_connect(f"{daemon.url}/v1/realtime") as socket,
        asyncio.TaskGroup() as tasks,
    ):
        program = Program(socket)
        reading = tasks.create_task(program.read())
        yield program
        await socket.close()
        await reading


async def handed_off(daemon: Daemon) -> str:
    """The name of the call in which somebody is wanted, once one is."""
    async with asyncio.timeout(LATE_S):
        while not (waiting := (await state(daemon))["waiting"]):  # noqa: ASYNC110 - a process
            await asyncio.sleep(0.1)
    return str(waiting[-1]["call"])


def test_a_person_and_a_caller_over_a_web_socket_hear_each_other(daemon: Daemon) -> None:
    """The person's voice comes in the events, whole; and the agent answers when they have gone."""

    async def story() -> dict[str, Any]:
        found: dict[str, Any] = {}
        async with calling(daemon) as program:
            await program.until("response.done")
            await program.write(FLAGGED)
            nurse = Caller(f"{daemon.url}/join/{await handed_off(daemon)}", token="vk_nurse")
            await nurse.open()
            found["joined"] = (await program.until("voiced.person"))["joined"]
            await asyncio.sleep(1.5)  # the line that says who is there
            begin, since = len(program.events), now()
            await nurse.say(HUM, after_silence_ms=None)
            found["person"] = await program.loudness(begin, WHOLE)
            await program.say(1.5)
            found["caller"] = await nurse.until_onset(since, LATE_S) is not None
            left = len(program.events)
            await nurse.close()
            parted = await program.until("voiced.person", left)
            found["parted"] = parted["joined"]
            await program.until("output_audio_buffer.stopped", program.events.index(parted))
            await program.write("How are you?")
            again = len(program.events)
            await program.until("response.output_audio_transcript.done", again)
            found["errors"] = [e for e in program.events if e["type"] == "error"]
        return found

    found = asyncio.run(story())

    assert (True, False) == (found["joined"], found["parted"])
    assert WHOLE < found["person"] < 0.8, "nothing was lost, and nothing came twice"
    assert found["caller"]
    assert [] == found["errors"]
    reason = daemon.wait_for("call.closed", 30)["reason"]
    assert "hangup" == reason
