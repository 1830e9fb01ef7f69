"""A server that answers each message at instants that a script names, on virtual time."""

import asyncio
import base64
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from voiced.audio.pcm import SPEAKING_HZ, Pcm
from voiced.config.sonic import Sonic, SonicVoice
from voiced.errors import EngineFailed
from voiced.tts.sonic import wire
from voiced.tts.sonic.link import SocketLink

SONIC = Sonic(url="http://h:5000", first_chunk_deadline_ms=1_500, next_chunk_deadline_ms=1_000)
JIA = SonicVoice(name="jia", id="v1", language="ko")

Reply = list[tuple[float, dict[str, Any]]]
"""Seconds after the submission, and the message without its context."""


def chunk(seconds: float, level: int = 1000) -> dict[str, Any]:
    sound = np.full(int(seconds * SPEAKING_HZ), level, "<i2").tobytes()
    return raw(sound)


def raw(sound: bytes) -> dict[str, Any]:
    return {"type": "chunk", "data": base64.b64encode(sound).decode()}


FLUSHED: dict[str, Any] = {"type": "flush_done", "flush_id": 1}
DONE: dict[str, Any] = {"type": "done"}
WHOLE: Reply = [(0.1, chunk(0.5)), (0.2, chunk(0.5)), (0.21, FLUSHED)]
"""A clause of one second, as it ought to be."""


def refusal(status: int = 400) -> dict[str, Any]:
    return {"type": "error", "status_code": status, "error": "said: something private"}


@dataclass
class Server:
    """What was sent, and what is answered: a reply for each submission, in order."""

    replies: list[Reply] = field(default_factory=list)
    at_the_end: Reply = field(default_factory=lambda: [(0.01, DONE)])
    sent: list[dict[str, Any]] = field(default_factory=list)
    reachable: bool = True

    @property
    def contexts(self) -> list[int]:
        """Of each submission, the number of its context in order of appearance."""
        names = [one["context_id"] for one in self.sent if one.get("transcript")]
        return [list(dict.fromkeys(names)).index(name) for name in names]

    @property
    def cancelled(self) -> int:
        return sum(1 for one in self.sent if one.get("cancel"))

    @property
    def ended(self) -> int:
        return sum(1 for one in self.sent if one.get("continue") is False)


class ScriptedLink(SocketLink):
    """A link without a socket."""

    def __init__(self, server: Server) -> None:
        super().__init__(SONIC.url, {}, 1.0)
        self.server = server

    async def open(self) -> None:
        if not self.server.reachable:
            raise EngineFailed("tts", "unreachable")

    def send(self, body: dict[str, Any]) -> None:
        self.server.sent.append(body)
        if body.get("cancel"):
            return
        last = body["continue"] is False
        reply = self.server.at_the_end if last else self.server.replies.pop(0)
        for after_s, answer in reply:
            named = answer if "nobody" in answer else {**answer, "context_id": body["context_id"]}
            self.later(after_s, named)

    def later(self, after_s: float, answer: dict[str, Any]) -> None:
        event = wire.event(json.dumps(answer))
        asyncio.get_running_loop().call_later(after_s, self._route, event)


class Ear:
    """A sink."""

    def __init__(self) -> None:
        self.chunks: list[Pcm] = []
        self.then: Callable[[], None] = lambda: None

    def put(self, pcm: Pcm) -> None:
        self.chunks.append(pcm)
        self.then()

    @property
    def seconds(self) -> float:
        return sum(len(one) for one in self.chunks) / SPEAKING_HZ


@pytest.fixture
def server() -> Server:
    return Server()
