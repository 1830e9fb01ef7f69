"""One caller of any server that speaks pipecat's HTTP shape: it knows a URL and nothing else.

All that it tells comes from the audio that it sent and received. How a reply ends it hears by
silence, which both sides are given alike. It does not know which server it calls.
"""

import asyncio
from dataclasses import dataclass, field

import aiohttp

from voiced import clock
from voiced.audio.pcm import Pcm
from voiced.bench.call_heard import silent_after
from voiced.bench.call_script import Lines
from voiced.errors import UnavailableError
from voiced.testing.caller import Caller
from voiced.testing.microphone import Said

_SETTLED_MS, _ENDED_MS = 800, 1200
_GREETING_S, _REPLY_S, _AGAIN_S = 2.0, 15.0, 1.5
_INTO_THE_REPLY_S = 0.8


@dataclass(slots=True)
class Found:
    """What calls of one side have shown."""

    waits_ms: list[float] = field(default_factory=list)
    unfinished_ms: list[float] = field(default_factory=list)
    """The same for questions with a silence in their middle."""
    barge_in_ms: list[float] = field(default_factory=list)
    connected_ms: list[float] = field(default_factory=list)
    asked: int = 0
    failed: int = 0
    cut_off: int = 0
    """Questions into which the agent spoke."""
    broken: int = 0
    """Replies that stopped and began anew, though the caller was silent."""


class OfferExchange:
    """POST an offer as JSON."""

    def __init__(self, url: str) -> None:
        self.host = "127.0.0.1"
        self._url = url

    async def offer(self, sdp: str) -> str:
        """The answer. Raises UnavailableError."""
        limit = aiohttp.ClientTimeout(total=30)
        async with (
            aiohttp.ClientSession(timeout=limit) as http,
            http.post(self._url, json={"sdp": sdp, "type": "offer"}) as reply,
        ):
            if reply.status >= 300:
                raise UnavailableError(f"{self._url}: {reply.status}")
            return str((await reply.json())["sdp"])

    async def hang_up(self) -> None:
        """The connection's own end is enough."""


async def talk(url: str, lines: Lines, number: int, found: Found) -> None:
    """One call: three questions, an unfinished one, and "stop" over a reply."""
    caller = Caller("", exchange=OfferExchange(url))
    try:
        found.connected_ms.append(await caller.open())
        await caller.until_onset(caller.connected_at, _GREETING_S)
        questions = lines.questions
        for place in range(3):
            question = questions[(number + place) % len(questions)]
            await _ask(caller, question, found, found.waits_ms)
        await _ask(caller, lines.unfinished, found, found.unfinished_ms)
        await _interrupt(caller, lines, number, found)
    except (ConnectionError, UnavailableError):
        found.failed += 1
    finally:
        await caller.close()


async def warm_up(url: str, lines: Lines) -> None:
    """A call with one question."""
    caller = Caller("", exchange=OfferExchange(url))
    try:
        await caller.open()
        await caller.until_onset(caller.connected_at, _GREETING_S)
        await _ask(caller, lines.questions[0], Found(), [])
    finally:
        await caller.close()


async def idle(url: str, seconds: float) -> None:
    """A call in which the caller says nothing."""
    caller = Caller("", exchange=OfferExchange(url))
    await caller.open()
    try:
        await asyncio.sleep(seconds)
    finally:
        await caller.close()


async def _ask(caller: Caller, pcm: Pcm, found: Found, waits: list[float]) -> None:
    said, onset = await _begun(caller, pcm, found)
    if onset is None:
        return
    if _cut_off(caller, said):
        found.cut_off += 1
    else:
        waits.append((onset - said.last_voiced_at) * 1000)
    await caller.until_quiet(_ENDED_MS, said.last_voiced_at)
    ended = clock.now()
    if await caller.until_onset(ended, _AGAIN_S) is not None:
        found.broken += 1
        await caller.until_quiet(_ENDED_MS, ended)


async def _interrupt(caller: Caller, lines: Lines, number: int, found: Found) -> None:
    question = lines.questions[number % len(lines.questions)]
    said, onset = await _begun(caller, question, found)
    if onset is None:
        return
    found.cut_off += _cut_off(caller, said)
    stop = await caller.say(lines.stop, at=onset + _INTO_THE_REPLY_S)
    await asyncio.sleep(1.0)
    at = stop.first_voiced_at
    silent = silent_after(caller.ear.between(at - 1.0, clock.now()), at)
    if silent is not None:
        found.barge_in_ms.append((silent - at) * 1000)
    await caller.until_quiet(_ENDED_MS, at)


async def _begun(caller: Caller, pcm: Pcm, found: Found) -> tuple[Said, float | None]:
    said = await caller.say(pcm, _SETTLED_MS)
    found.asked += 1
    onset = await caller.until_onset(said.last_voiced_at, _REPLY_S)
    found.failed += onset is None
    return said, onset


def _cut_off(caller: Caller, said: Said) -> bool:
    return caller.ear.onset(said.first_voiced_at, said.last_voiced_at) is not None
