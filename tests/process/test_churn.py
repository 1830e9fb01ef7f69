"""Two hundred calls that end at every awkward moment leave the daemon as it was."""

import asyncio
import os
import re
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path

import aiohttp
import pytest

from tests.process.conftest import Daemon, Serve
from voiced.rtc import ice
from voiced.testing.caller import Caller
from voiced.testing.exchange import HttpExchange
from voiced.testing.fuzz import SETTINGS

pytestmark = [pytest.mark.process, pytest.mark.timeout(300)]

WARMING = 120
"""Calls until the process has the size that it keeps."""
CALLS = 200
AT_ONCE = 4
MEMORY_MB = 20
ROOT = Path(__file__).resolve().parents[2]


async def opened(url: str) -> tuple[Caller, HttpExchange]:
    exchange = HttpExchange(url + "/v1/realtime/calls")
    caller = Caller("", exchange=exchange)
    await caller.open()
    return caller, exchange


async def in_the_greeting(url: str) -> None:
    caller, _ = await opened(url)
    await caller.close()


async def in_a_reply(url: str) -> None:
    caller, _ = await opened(url)
    await caller.until_event("session.created", 0.0, 5.0)
    await caller.until_quiet(100)
    content = [{"type": "input_text", "text": "Where?"}]
    item = {"type": "message", "role": "user", "content": content}
    caller.send({"type": "conversation.item.create", "item": item})
    caller.send({"type": "response.create"})
    await caller.until_onset(caller.ear.quiet_since(caller.connected_at), 5.0)
    await caller.close()


async def by_closing(url: str) -> None:
    """The connection's own goodbye, and no word over HTTP."""
    caller, exchange = await opened(url)
    exchange._location = None
    await caller.close()


async def by_vanishing(url: str) -> None:
    caller, exchange = await opened(url)
    ice.vanish(caller._connection)
    exchange._location = None
    await caller.close()


async def twice_at_once(url: str) -> None:
    caller, exchange = await opened(url)
    place, exchange._location = exchange._location, None
    async with aiohttp.ClientSession() as http:

        async def hang_up() -> int:
            async with http.post(f"{place}/hangup") as told:
                return told.status

        told = await asyncio.gather(hang_up(), hang_up())
        await caller.close()
        assert {200, 404} >= set(told)


async def an_offer(url: str, wait_s: float | None) -> str | None:
    """Offers and never connects; where the call is, or None where nobody waited for the answer."""
    caller = Caller("", exchange=HttpExchange(url))
    pc = caller._connection
    pc.addTrack(caller._microphone)
    await pc.setLocalDescription(await pc.createOffer())
    headers = {"Content-Type": "application/sdp"}
    timeout = aiohttp.ClientTimeout(total=wait_s)
    try:
        async with (
            aiohttp.ClientSession(timeout=timeout) as http,
            http.post(url + "/whip", data=pc.localDescription.sdp, headers=headers) as told,
        ):
            return told.headers["Location"]
    except TimeoutError:
        return None
    finally:
        await pc.close()


async def before_it_connects(url: str) -> None:
    place = await an_offer(url, None)
    async with aiohttp.ClientSession() as http, http.delete(f"{url}{place}") as told:
        assert 200 == told.status


async def by_never_connecting(url: str) -> None:
    await an_offer(url, None)


async def before_the_answer(url: str) -> None:
    """The program goes away while its offer is being answered."""
    await an_offer(url, 0.005)


ENDINGS: list[Callable[[str], Awaitable[None]]] = [
    in_the_greeting,
    in_a_reply,
    by_closing,
    by_vanishing,
    twice_at_once,
    before_it_connects,
    by_never_connecting,
    before_the_answer,
]


def test_calls_that_end_at_every_moment_leave_nothing_behind(serve: Serve) -> None:
    patient = SETTINGS.replace("connect_deadline_ms = 1000", "connect_deadline_ms = 5000")
    daemon = serve(patient.format(agents=ROOT / "docs/examples/agents"), fake=True)
    daemon.wait_for("daemon.ready")

    async def story() -> tuple[dict[str, int], dict[str, int], float]:
        await churn(daemon.url, WARMING)
        before, memory = await settled(daemon)
        await churn(daemon.url, CALLS)
        after, more = await settled(daemon)
        return before, after, more - memory

    before, after, grown_mb = asyncio.run(story())

    assert before == after
    assert grown_mb < MEMORY_MB
    assert [] == [line for line in daemon.raw if re.search("destroyed|never retrieved", line)]
    wrong = {"call.failed", "peer.failed", "peer.unclosed", "request.failed", "python.unraisable"}
    assert set() == wrong & {str(line["event"]) for line in daemon.lines}
    assert 0 == daemon.stop()


async def churn(url: str, calls: int) -> None:
    turns = iter(range(calls))

    async def one_after_the_other() -> None:
        for number in turns:
            await ENDINGS[number % len(ENDINGS)](url)

    async with asyncio.TaskGroup() as tasks:
        for _ in range(AT_ONCE):
            tasks.create_task(one_after_the_other())


async def settled(daemon: Daemon) -> tuple[dict[str, int], float]:
    """What the daemon has, once every line is free again."""
    async with asyncio.timeout(30):
        while "voiced_calls 0.0" not in daemon.get("/metrics")[1]:  # noqa: ASYNC110 - a process
            await asyncio.sleep(0.2)
    await asyncio.sleep(3.0)  # connections that were kept alive, peers that are being closed
    return await asyncio.to_thread(footprint, daemon)


def footprint(daemon: Daemon) -> tuple[dict[str, int], float]:
    """Tasks, threads and descriptors, and megabytes of memory."""
    daemon.lines[:] = [line for line in daemon.lines if line["event"] != "tasks.counted"]
    daemon.process.send_signal(signal.SIGUSR1)
    tasks = int(daemon.wait_for("tasks.counted", 10)["tasks"])
    process = Path(f"/proc/{daemon.process.pid}")
    pairs = (line.partition(":") for line in (process / "status").read_text().splitlines())
    status = {name: value.split() for name, _, value in pairs}
    files = len(os.listdir(process / "fd"))
    counted = {"tasks": tasks, "threads": int(status["Threads"][0]), "descriptors": files}
    return counted, int(status["VmRSS"][0]) / 1024
