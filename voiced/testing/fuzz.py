"""Throws input that nobody meant at a running daemon, and looks whether it is well afterwards.

    offers ──────> HTTP      spoilt ones; real ones that become calls
    events ──────> the calls' data channels
    datagrams ───> UDP       from strangers, from callers' own addresses, under calls' own names

The daemon must be one with few deadlines, such as `standin` with SETTINGS. What is found is in
the report; it does not know why.
"""

import asyncio
import os
import re
import socket
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import aiohttp

from voiced.clock import now
from voiced.errors import UnavailableError
from voiced.rtc import ice
from voiced.testing.caller import Caller
from voiced.testing.exchange import HttpExchange
from voiced.testing.mutate import Mutator
from voiced.testing.open_door import OPEN_DOOR

SETTINGS = (
    OPEN_DOOR
    + """\
connect_deadline_ms = 1000
silent_deadline_ms = 1000
[llm]
slots = 24
[calls]
max = 24
resume_ms = 1000
agents_dir = "{agents}"
[models]
production = false
"""
)
"""For the daemon: every line is free again within seconds."""

CALLERS = 3
SETTLE_S = 15.0

_TEXT = {"type": "input_text", "text": "Where do I park?"}
_ITEM = {"type": "message", "role": "user", "content": [_TEXT]}
EVENTS: tuple[dict[str, Any], ...] = (
    {"type": "session.update", "session": {"type": "realtime", "instructions": "Be brief."}},
    {"type": "conversation.item.create", "item": _ITEM},
    {"type": "conversation.item.create", "item": {"type": "function_call_output", "call_id": "c"}},
    {"type": "conversation.item.truncate", "item_id": "i", "content_index": 0, "audio_end_ms": 5},
    {"type": "conversation.item.delete", "item_id": "item_1"},
    {"type": "conversation.item.retrieve", "item_id": "item_1"},
    {
        "type": "response.create",
        "response": {"output_modalities": ["text"], "conversation": "none"},
    },
    {"type": "response.create"},
    {"type": "response.cancel", "response_id": "resp_1"},
    {"type": "input_audio_buffer.commit"},
    {"type": "input_audio_buffer.clear"},
    {"type": "output_audio_buffer.clear"},
)
_HELLO = b"\x16\xfe\xfd\x00\x00\x00\x00\x00\x00\x00\x00\x00\x30" + bytes(range(48))
_ALERT = b"\x15\xfe\xfd\x00\x01\x00\x00\x00\x00\x00\x07\x00\x02\x02\x28"
_SOUND = b"\x80\x60\x00\x01" + bytes(8) + bytes(range(80))
_REPORT = b"\x81\xc9\x00\x07" + bytes(28)


@dataclass(slots=True)
class Report:
    """What was thrown, and what is wrong."""

    thrown: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


async def fuzz(url: str, udp_port: int, seconds: float, seed: int) -> Report:
    """Fuzzes for so long, then waits for the daemon to settle and places a call."""
    report = Report()
    until = now() + seconds
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=20)) as http:
        async with asyncio.TaskGroup() as tasks:
            for number in range(CALLERS):
                one = _Thrower(url, udp_port, http, Mutator(seed * 1000 + number), report)
                tasks.create_task(one.throw(until))
        await _settled(url, http, report)
    await _answered(url, report)
    return report


class _Thrower:
    """One caller that means no good."""

    def __init__(
        self,
        url: str,
        udp_port: int,
        http: aiohttp.ClientSession,
        mutator: Mutator,
        report: Report,
    ) -> None:
        self._url = url
        self._there = ("127.0.0.1", udp_port)
        self._http = http
        self._mutator = mutator
        self._report = report

    async def throw(self, until: float) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
            stranger.setblocking(False)
            while now() < until:
                match self._mutator.chance.randrange(4):
                    case 0:
                        await self._call(stranger)
                    case 1 | 2:
                        await self._offer(stranger)
                    case _:
                        await self._post_anything()
                self._datagrams(stranger, b"", 20)
                await asyncio.sleep(0)

    async def _offer(self, stranger: socket.socket) -> None:
        """A spoilt offer; where it is answered all the same, its call is called by name."""
        text = self._mutator.text(await _an_offer())
        path = self._mutator.chance.choice(("/whip", "/v1/realtime/calls"))
        status, answer = await self._post(path, text.encode("utf-8", "surrogatepass"))
        self._report.thrown[f"offer {status}"] += 1
        if (name := re.search(r"^a=ice-ufrag:(\S+)", answer, re.MULTILINE)) is not None:
            self._datagrams(stranger, name[1].encode(), 50)

    async def _post_anything(self) -> None:
        chance = self._mutator.chance
        path = chance.choice(
            ("/whip", "/v1/realtime/calls", "/v1/realtime/client_secrets", "/whip?resume=x")
        )
        body = chance.choice((b"", b"v=0\r\n", b"{", b"[" * 5000, chance.randbytes(500)))
        status, _ = await self._post(path, body)
        self._report.thrown[f"body {status}"] += 1

    async def _post(self, path: str, body: bytes) -> tuple[int, str]:
        headers = {"Content-Type": "application/sdp"}
        try:
            async with self._http.post(self._url + path, data=body, headers=headers) as told:
                answer = await told.text()
                if told.status == 500:
                    self._report.faults.append(f"500 from {path}: {answer[:200]}")
                return told.status, answer
        except (aiohttp.ClientError, TimeoutError) as error:
            self._report.faults.append(f"no answer from {path}: {type(error).__name__}")
            return 0, ""

    async def _call(self, stranger: socket.socket) -> None:
        """A real call, in which everything else is wrong."""
        exchange = HttpExchange(self._url)
        caller = Caller("", exchange=exchange)
        try:
            await caller.open()
        except (UnavailableError, TimeoutError):
            self._report.thrown["call refused"] += 1
            return
        self._report.thrown["call"] += 1
        await caller.until_event("session.created", 0.0, 2.0)
        for _ in range(self._mutator.chance.randrange(40)):
            if caller.over or caller._channel is None or caller._channel.readyState != "open":
                break
            self._say(caller)
            self._own_datagrams(caller)
            self._datagrams(stranger, b"", 5)
            await asyncio.sleep(self._mutator.chance.choice((0, 0, 0.01, 0.1)))
        await self._leave(caller, exchange)

    def _say(self, caller: Caller) -> None:
        assert caller._channel is not None
        if self._mutator.chance.random() < 0.05:
            caller._channel.send(self._mutator.chance.randbytes(200))
        else:
            message = self._mutator.event(EVENTS).encode("utf-8", "replace").decode()
            caller._channel.send(message)
        self._report.thrown["event"] += 1

    async def _leave(self, caller: Caller, exchange: HttpExchange) -> None:
        """Hangs up, closes, or vanishes."""
        match self._mutator.chance.randrange(3):
            case 0:
                await caller.close()
            case 1:
                exchange._location = None
                await caller.close()
            case _:
                ice.vanish(caller._connection)
                exchange._location = None
                await caller.close()

    def _own_datagrams(self, caller: Caller) -> None:
        """From the address that the daemon knows the caller by."""
        for protocol in ice.protocols(caller._connection):
            data = self._mutator.datagram((_HELLO, _ALERT, _SOUND, _REPORT))
            protocol.transport.sendto(data, self._there)
            self._report.thrown["datagram"] += 1

    def _datagrams(self, stranger: socket.socket, name: bytes, count: int) -> None:
        seeds = (_HELLO, _ALERT, _SOUND, _REPORT, _check(name or b"nobodyxx"))
        for _ in range(count):
            try:
                stranger.sendto(self._mutator.datagram(seeds), self._there)
            except BlockingIOError:
                return
            self._report.thrown["datagram"] += 1


async def _an_offer() -> str:
    """As a real program makes it."""
    connection = ice.peer_connection()
    connection.addTransceiver("audio")
    connection.createDataChannel("oai-events")
    try:
        return str((await connection.createOffer()).sdp) + "a=ice-ufrag:abcd\r\n"
    finally:
        await connection.close()


def _check(name: bytes) -> bytes:
    """A STUN request under a call's name."""
    value = name + b":xxxx"
    padded = value + bytes(-len(value) % 4)
    body = b"\x00\x06" + len(value).to_bytes(2, "big") + padded
    return b"\x00\x01" + len(body).to_bytes(2, "big") + b"\x21\x12\xa4\x42" + os.urandom(12) + body


async def _settled(url: str, http: aiohttp.ClientSession, report: Report) -> None:
    """Every line is free again."""
    left = -1.0
    deadline = now() + SETTLE_S
    while now() < deadline:
        async with http.get(f"{url}/metrics") as told:
            found = re.search(r"^voiced_calls (\S+)$", await told.text(), re.MULTILINE)
        left = float(found[1]) if found is not None else -1.0
        if not left:
            return
        await asyncio.sleep(0.2)
    report.faults.append(f"{left:.0f} lines are still taken after {SETTLE_S:.0f} s")


async def _answered(url: str, report: Report) -> None:
    caller = Caller(url)
    try:
        await caller.open()
        if await caller.until_onset(caller.connected_at, 5.0) is None:
            report.faults.append("the call afterwards heard no greeting")
    except (UnavailableError, TimeoutError) as error:
        report.faults.append(f"no call can be placed afterwards: {error}")
    finally:
        await caller.close()
