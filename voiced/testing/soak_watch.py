"""What is seen of a daemon that is being soaked, and what must hold of it.

Its metrics every second, its footprint before and after, its log at the end. It does not know the
callers; what they found is in their story.
"""

import asyncio
import json
import os
import re
import signal
import statistics
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp

from voiced.clock import now
from voiced.errors import UnavailableError
from voiced.testing.caller import Caller
from voiced.testing.soak import Sample, Story

SETTLE_S = 25.0
STUCK_MS = 2000.0
MOST_GROWN_MB = 15.0
RINGS_MB = 8.0
"""Of one call; they go with it."""

ROUNDED_MS = 1.0

_WRONG = (
    "call.failed",
    "peer.failed",
    "request.failed",
    "rtc.failed",
    "thread.stuck",
    "python.unraisable",
    "audit.cut",
)
_LEGS = ("endpoint_delay_ms", "stt_ms", "llm_first_clause_ms", "tts_ttfb_ms", "playout_ms")
"""Those that add up to the reply's delay."""

Line = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Footprint:
    """What a daemon without calls has."""

    calls: float
    slots: float
    tasks: int
    threads: int
    files: int
    memory_mb: float


@dataclass(frozen=True, slots=True)
class Soaked:
    """All that was seen."""

    story: Story
    before: Footprint
    after: Footprint
    house: tuple[int, int]
    """Calls that could be open at once afterwards, and how many should be."""


class Daemon:
    """A daemon by its process and its log."""

    def __init__(self, pid: int, log: Path) -> None:
        self._pid, self._log = pid, log

    def lines(self) -> list[Line]:
        """What it has logged."""
        text = self._log.read_text()
        return [json.loads(line) for line in text.splitlines() if line.startswith("{")]

    async def settled(self, url: str) -> Footprint:
        """Once every line is free again, or after SETTLE_S."""
        deadline = now() + SETTLE_S
        values = await values_of(url)
        while now() < deadline and (values["voiced_calls"] or values["voiced_slots_taken"]):
            await asyncio.sleep(0.5)
            values = await values_of(url)
        await asyncio.sleep(4.0)  # connections that were kept alive, peers that are being closed
        counted = sum(one.get("event") == "tasks.counted" for one in self.lines())
        os.kill(self._pid, signal.SIGUSR1)
        while sum(one.get("event") == "tasks.counted" for one in self.lines()) == counted:  # noqa: ASYNC110 - a process
            await asyncio.sleep(0.1)
        tasks = [one["tasks"] for one in self.lines() if one.get("event") == "tasks.counted"]
        return Footprint(
            values["voiced_calls"],
            values["voiced_slots_taken"],
            int(tasks[-1]),
            self._status("Threads"),
            len(os.listdir(f"/proc/{self._pid}/fd")),
            self.memory_mb(),
        )

    def memory_mb(self) -> float:
        """What it has of the machine's memory."""
        return self._status("VmRSS") / 1024

    def _status(self, name: str) -> int:
        text = Path(f"/proc/{self._pid}/status").read_text()
        found = re.search(rf"{name}:\s+(\d+)", text)
        return int(found[1]) if found else 0

    async def full_house(self, url: str) -> tuple[int, int]:
        """As many calls at once as there are slots: how many were answered, and how many slots."""
        slots = int((await values_of(url))["voiced_slots"])
        callers = [Caller(url) for _ in range(slots)]
        opened = await asyncio.gather(*(_opened(one) for one in callers))
        await asyncio.gather(*(one.close() for one in callers))
        return sum(opened), slots


async def _opened(caller: Caller) -> bool:
    try:
        await caller.open()
    except UnavailableError:
        return False
    return await caller.until_onset(caller.connected_at, 10.0) is not None


async def values_of(url: str) -> dict[str, float]:
    """The daemon's metrics without labels."""
    async with aiohttp.ClientSession() as http, http.get(f"{url}/metrics") as told:
        text = await told.text()
    return {name: float(value) for name, value in re.findall(r"^(\w+) (\S+)$", text, re.MULTILINE)}


@asynccontextmanager
async def watched(url: str, daemon: Daemon, story: Story) -> AsyncIterator[None]:
    """Samples the daemon each second meanwhile."""

    async def look() -> None:
        while True:
            begin = now()
            values = await values_of(url)
            asked_ms = (now() - begin) * 1000
            due = now() + 1.0
            await asyncio.sleep(1.0)
            late_ms = (now() - due) * 1000
            story.samples.append(
                Sample(begin, values["voiced_calls"], daemon.memory_mb(), asked_ms, late_ms)
            )

    async with asyncio.TaskGroup() as tasks:
        looking = tasks.create_task(look())
        try:
            yield
        finally:
            looking.cancel()


def judged(soaked: Soaked, lines: Sequence[Line], status: int) -> dict[str, list[str]]:
    """What must hold, and what speaks against it."""
    story, before, after = soaked.story, soaked.before, soaked.after
    strangers = [fault for fault in story.faults if "another caller" in fault]
    events = Counter(str(line.get("event")) for line in lines)
    wrong = [f"{events[name]} x {name}" for name in _WRONG if events[name]]
    slow = [
        f"{one.asked_ms:.0f} ms for its metrics" for one in story.samples if one.asked_ms > STUCK_MS
    ]
    return {
        "no caller hears another": strangers,
        "every turn is answered or apologised for": [
            fault for fault in story.faults if fault not in strangers
        ],
        "lines hold": story.lost,
        "every slot returns": _slots(after, soaked.house),
        "memory stays flat": _memory(story.samples),
        "nothing is left behind": _left(before, after),
        "nothing hangs": slow,
        "nothing fails inside": wrong + ([f"it ended with {status}"] if status else []),
        "the ledger adds up": ledger(lines),
    }


def _slots(after: Footprint, house: tuple[int, int]) -> list[str]:
    found = []
    if after.calls or after.slots:
        found.append(f"{after.calls:.0f} calls and {after.slots:.0f} slots are still taken")
    if house[0] != house[1]:
        found.append(f"{house[0]} of {house[1]} calls at once were answered afterwards")
    return found


def _memory(samples: Sequence[Sample]) -> list[str]:
    """The last quarter against the second one; the first fills what is kept for the next call."""
    quarter = len(samples) // 4
    if not quarter:
        return ["too few samples"]
    second, last = _own_mb(samples[quarter : 2 * quarter]), _own_mb(samples[-quarter:])
    grown = last - second > MOST_GROWN_MB
    return [f"{second:.0f} MB became {last:.0f} MB, calls' rings apart"] if grown else []


def _own_mb(samples: Sequence[Sample]) -> float:
    """What the process had besides the rings of its calls, in the median: a call that is just
    closing has its rings and is counted no more, so that no single sample says much."""
    return statistics.median(one.memory_mb - RINGS_MB * one.calls for one in samples)


def _left(before: Footprint, after: Footprint) -> list[str]:
    counted = (
        ("tasks", before.tasks, after.tasks),
        ("threads", before.threads, after.threads),
        ("files", before.files, after.files),
    )
    return [f"{had} {what} became {has}" for what, had, has in counted if has > had]


def ledger(lines: Sequence[Line]) -> list[str]:
    """Calls that were opened are closed; a turn's legs add up to its delay."""
    events = Counter(str(line.get("event")) for line in lines)
    found = []
    if events["call.opened"] != events["call.closed"]:
        found.append(f"{events['call.opened']} calls opened, {events['call.closed']} closed")
    for line in lines:
        if line.get("event") != "turn.ended" or line.get("playout_ms") is None:
            continue
        legs = [line[name] for name in _LEGS if line.get(name) is not None]
        if abs(sum(legs) - line["reply_delay_ms"]) > ROUNDED_MS:
            found.append(f"turn {line['turn']}: {sum(legs):.1f} of {line['reply_delay_ms']:.1f} ms")
    return found
