"""`voiced bench rtc`: our network edge and stock aiortc, taking turns on the same calls.

Delay is one-way: from the instant that a caller hands a click to its sender until a recogniser can
read it, the codec's look-ahead included; first on a clean line, then after one lost packet. Load is
the processor time of the whole far process while every call hears and speaks, for as many frames as
it really carried, so that a busy machine, on which callers are late, flatters nobody. Each side has
a process of its own, and only one of them has calls at a time. It does not know how a side is made.
"""

import asyncio
import json
import statistics
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from voiced.audio.pcm import FRAME_S, HEARING_FRAME, HEARING_HZ, Pcm
from voiced.bench.options import BenchOptions
from voiced.bench.rtc_far import CLICK, HOST, babble, punctual
from voiced.errors import UnavailableError
from voiced.testing.caller import Caller
from voiced.testing.impair import Impairment, Weather, redirected

SIDES = ("ours", "stock")
CALLS = 8

_CLICKS = 6
_EVERY_S = 0.46
"""A whole number of frames, so that each click is one frame."""

_WITHIN_S = 0.42
"""A click that is read later than this counts as never read."""

_SETTLE_S = 0.6
_LOAD_S = 4.0
_ANSWER_S = 20.0

_TITLE = {"ours": "", "stock": "stock_"}


@dataclass(slots=True)
class Taken:
    """What one side has shown so far."""

    clean_ms: list[float] = field(default_factory=list)
    after_loss_ms: list[float] = field(default_factory=list)
    cpu_percent: list[float] = field(default_factory=list)
    """Of one core, for each call."""
    late: dict[str, float] = field(default_factory=dict)
    """Ticks by the upper bound of how late they ran, in ms."""


def run(options: BenchOptions) -> dict[str, object]:
    """The keys of the contract, and the stock side's delays. Takes some 25 s for each round."""
    return asyncio.run(_measure(options.calls or CALLS, options.rounds))


def shown(taken: Mapping[str, Taken], calls: int) -> dict[str, object]:
    """Medians of all rounds."""
    found: dict[str, object] = {}
    for side, title in _TITLE.items():
        one = taken[side]
        found[f"{title}added_ms_clean"] = round(statistics.median(one.clean_ms), 2)
        found[f"{title}added_ms_after_loss"] = round(statistics.median(one.after_loss_ms), 2)
        found[f"{title}cpu_percent_per_call"] = round(statistics.median(one.cpu_percent), 2)
    late = taken["ours"].late
    lateness = {"p50": below(late, 0.50), "p99": below(late, 0.99)}
    return {**found, "lateness_ms": lateness, "calls": calls}


def below(late: Mapping[str, float], share: float) -> float:
    """The least bound that so large a share of the ticks kept. `late` is cumulative."""
    bounds = sorted((float(bound), count) for bound, count in late.items())
    return next(bound for bound, count in bounds if count >= share * bounds[-1][1])


async def _measure(calls: int, rounds: int) -> dict[str, object]:
    punctual()
    taken = {side: Taken() for side in SIDES}
    async with AsyncExitStack() as stack:
        far = {side: await stack.enter_async_context(_far(side)) for side in SIDES}
        for _ in range(rounds):
            for side in SIDES:
                await _delays(far[side], taken[side])
            for side in SIDES:
                await _load(far[side], taken[side], calls)
    return shown(taken, calls)


class _Far:
    """A far process; it answers one order after the other."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def ask(self, order: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(order).encode() + b"\n")
        async with asyncio.timeout(_ANSWER_S):
            line = await self._process.stdout.readline()
        if not line:
            raise UnavailableError("bench rtc: the far process has ended")
        return cast(dict[str, Any], json.loads(line))


@asynccontextmanager
async def _far(side: str) -> AsyncIterator[_Far]:
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "voiced.bench.rtc_far", side), stdin=pipe, stdout=pipe
    )
    try:
        yield _Far(process)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), _ANSWER_S)
        except TimeoutError:
            process.kill()
            await process.wait()


class _Exchange:
    """Offers go to a far process; `line` is what media goes through.

    Candidates are left out of the offer, so that no side has a way around the line.
    """

    host = HOST

    def __init__(self, far: _Far) -> None:
        self._far = far
        self.line: _Line | None = None

    async def offer(self, sdp: str) -> str:
        lines = sdp.splitlines(keepends=True)
        bare = "".join(one for one in lines if not one.startswith(("a=candidate", "a=end-of")))
        answer = str((await self._far.ask({"offer": bare}))["answer"])
        port = next(
            int(one.split()[5]) for one in answer.splitlines() if one.startswith("a=candidate")
        )
        _, self.line = await asyncio.get_running_loop().create_datagram_endpoint(
            lambda: _Line(port), local_addr=(HOST, 0)
        )
        return redirected(answer, port, self.line.port)

    async def hang_up(self) -> None:
        """The connection's own end is enough."""


class _Line(Impairment):
    """A clean line that can lose one packet of the caller's."""

    def __init__(self, port: int) -> None:
        super().__init__((HOST, port), Weather())
        self._losing = False

    def lose_one(self) -> None:
        """The next packet of sound does not arrive."""
        self._losing = True

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        sound = 128 <= data[0] < 192 and not 72 <= data[1] & 0x7F <= 76  # RTP, and no RTCP
        if self._losing and sound:
            self._losing = False
        else:
            super().datagram_received(data, addr)


@asynccontextmanager
async def _called(far: _Far, calls: int) -> AsyncIterator[tuple[list[Caller], list[_Line]]]:
    """So many open calls, and their lines."""
    exchanges = [_Exchange(far) for _ in range(calls)]
    callers = [Caller("", exchange=exchange) for exchange in exchanges]
    try:
        for caller in callers:
            await caller.open()
        yield callers, [exchange.line for exchange in exchanges if exchange.line is not None]
    finally:
        for caller in callers:
            await caller.close()
        await far.ask({"ask": "close"})
        for exchange in exchanges:
            if exchange.line is not None:
                await exchange.line.close()


async def _delays(far: _Far, taken: Taken) -> None:
    async with _called(far, 1) as ([caller], [line]):
        await asyncio.sleep(_SETTLE_S)
        clean = await _clicks(caller)
        await asyncio.sleep(_WITHIN_S)
        line.lose_one()
        await asyncio.sleep(_SETTLE_S)
        after = await _clicks(caller)
        await asyncio.sleep(_WITHIN_S)
        heard = (await far.ask({"ask": "clicks"}))["clicks"]
    taken.clean_ms += added_ms(clean, heard)
    taken.after_loss_ms += added_ms(after, heard)


async def _clicks(caller: Caller) -> list[float]:
    """Says some clicks; the instants at which each was handed to the sender."""
    pcm: Pcm = np.zeros(int(_EVERY_S * HEARING_HZ), np.int16)
    wave = np.sin(np.arange(HEARING_FRAME) * 2 * np.pi * 1000 / HEARING_HZ)
    pcm[-HEARING_FRAME:] = (CLICK * np.sign(wave)).astype(np.int16)
    return [(await caller.say(pcm, None)).first_voiced_at for _ in range(_CLICKS)]


def added_ms(said: Sequence[float], heard: Sequence[float]) -> list[float]:
    """What lies between saying and hearing each click. Raises UnavailableError for one unheard."""
    found = []
    for at in said:
        onset = next((one for one in heard if at <= one < at + _WITHIN_S), None)
        if onset is None:
            raise UnavailableError("bench rtc: a click was not heard: is this machine overloaded?")
        found.append((onset - at) * 1000)
    return found


async def _load(far: _Far, taken: Taken, calls: int) -> None:
    async with _called(far, calls) as (callers, _lines), asyncio.TaskGroup() as speaking:
        babbling = [speaking.create_task(_babble(caller)) for caller in callers]
        await asyncio.sleep(_SETTLE_S)
        before = await far.ask({"ask": "used"})
        await asyncio.sleep(_LOAD_S)
        after = await far.ask({"ask": "used"})
        for one in babbling:
            one.cancel()
    carried_s = (after["frames"] - before["frames"]) / 2 * FRAME_S  # of one call, both ways
    taken.cpu_percent.append((after["cpu_s"] - before["cpu_s"]) / carried_s * 100)
    for bound, count in after["late"].items():
        taken.late[bound] = taken.late.get(bound, 0.0) + count - before["late"][bound]


async def _babble(caller: Caller) -> None:
    await caller.say(babble(HEARING_HZ), None)
