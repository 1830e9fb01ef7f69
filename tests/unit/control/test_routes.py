"""The verbs of the control socket, asked as the program asks them."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar, cast

import pytest

from voiced.audit.entries import AdminActed
from voiced.audit.model import NOWHERE, Audit
from voiced.call.desk import Desk
from voiced.control.client import Denied, ask
from voiced.control.routes import Control
from voiced.control.server import Server
from voiced.errors import Refused
from voiced.ops.health import VERSION, Health
from voiced.testing.audit import FakeAudit

pytestmark = pytest.mark.unit

T = TypeVar("T")


class FakeDesk:
    """One call is open until it is hung up."""

    def __init__(self) -> None:
        self.calls = 1
        self.most = 4
        self.agents = ["reception"]
        self.admits = True
        self.was_shut = asyncio.Event()
        self._changed = asyncio.Event()

    def shut(self) -> None:
        self.admits = False
        self.was_shut.set()

    def reopen(self) -> None:
        self.admits = True

    async def empty(self) -> None:
        while self.calls:
            await self._changed.wait()

    def hang_up(self, name: str) -> None:
        if name != "c4ll":
            raise Refused(404, "unknown-call", "there is no call of that name")
        self.calls = 0
        self._changed.set()


@asynccontextmanager
async def served(
    path: Path, desk: FakeDesk, why_not: str | None, audit: Audit = NOWHERE
) -> AsyncIterator[Health]:
    health = Health()
    health.why_not = why_not
    ports = {"http_port": 80, "udp_port": 90}
    control = Control(health, cast(Desk, desk), ports, lambda: 41.7, audit)
    server = await Server.open(path, control.routes())
    try:
        yield health
    finally:
        await server.close()


async def elsewhere(work: Callable[[], T]) -> T:
    """In a thread that ends with it: the client waits as a program does."""
    with ThreadPoolExecutor(1) as thread:
        return await asyncio.get_running_loop().run_in_executor(thread, work)


def asked(
    path: Path, *requests: tuple[str, str], why_not: str | None = None
) -> tuple[list[dict[str, Any]], Health, FakeDesk]:
    """What each request is answered, and how the daemon is afterwards."""

    async def script() -> tuple[list[dict[str, Any]], Health, FakeDesk]:
        desk = FakeDesk()
        async with served(path, desk, why_not) as health:
            answers = [
                await elsewhere(lambda method=method, target=target: ask(path, method, target))
                for method, target in requests
            ]
            return answers, health, desk

    return asyncio.run(script())


def test_status_tells_how_it_is(tmp_path: Path) -> None:
    (status,), _, _ = asked(tmp_path / "control.sock", ("GET", "/status"))

    assert 0.0 <= status.pop("uptime_s") < 10.0
    assert {
        "ready": True,
        "why_not": None,
        "alarms": [],
        "left_out": [],
        "version": VERSION,
        "calls": 1,
        "calls_max": 4,
        "agents": ["reception"],
        "http_port": 80,
        "udp_port": 90,
        "certificate_days_left": 42,
    } == status


def test_a_drain_takes_no_new_calls_and_leaves_the_present_ones(tmp_path: Path) -> None:
    (status,), health, desk = asked(tmp_path / "control.sock", ("POST", "/drain"))

    assert ("draining", 1) == (status["why_not"], status["calls"])
    assert ("draining", False) == (health.why_not, desk.admits)


def test_a_drain_that_is_waited_for_answers_when_the_last_call_has_ended(tmp_path: Path) -> None:
    path = tmp_path / "control.sock"

    async def script() -> dict[str, Any]:
        desk = FakeDesk()
        async with served(path, desk, None):
            waiting = asyncio.ensure_future(
                elsewhere(lambda: ask(path, "POST", "/drain?wait_s=60", 60.0))
            )
            await desk.was_shut.wait()
            await elsewhere(lambda: ask(path, "POST", "/calls/c4ll/hangup"))
            return await waiting

    assert 0 == asyncio.run(script())["calls"]


def test_a_drain_can_be_undone(tmp_path: Path) -> None:
    answers, health, desk = asked(
        tmp_path / "control.sock", ("POST", "/drain"), ("POST", "/resume")
    )

    assert [False, True] == [status["ready"] for status in answers]
    assert (None, True) == (health.why_not, desk.admits)


@pytest.mark.parametrize("state", ["starting", "stopping"])
@pytest.mark.parametrize("target", ["/drain", "/resume"])
def test_what_loads_or_stops_is_left_alone(tmp_path: Path, state: str, target: str) -> None:
    """A stop is for good: nobody takes it back, or the last caller would be cut."""
    with pytest.raises(Denied, match=f"the daemon is {state}"):
        asked(tmp_path / "control.sock", ("POST", target), why_not=state)


@pytest.mark.parametrize("wait", ["soon", "-1", "nan", "1e9"])
def test_a_wait_that_is_no_time_is_refused(tmp_path: Path, wait: str) -> None:
    with pytest.raises(Denied, match="wait_s is between"):
        asked(tmp_path / "control.sock", ("POST", f"/drain?wait_s={wait}"))


def test_a_call_that_is_not_there_cannot_be_hung_up(tmp_path: Path) -> None:
    with pytest.raises(Denied, match="no call of that name"):
        asked(tmp_path / "control.sock", ("POST", "/calls/another/hangup"))


def test_who_asked_is_in_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", logger="voiced")
    asked(tmp_path / "control.sock", ("POST", "/drain"))

    line = next(one for one in caplog.records if one.msg == "drain.asked")
    assert {"calls": 1, "uid": os.getuid()} == json.loads(json.dumps(line.__dict__["values"]))


def test_what_an_operator_does_is_in_the_audit_with_the_account(tmp_path: Path) -> None:
    path, audit = tmp_path / "control.sock", FakeAudit()

    async def script() -> None:
        async with served(path, FakeDesk(), None, audit):
            for target in ("/drain", "/resume", "/calls/c4ll/hangup"):
                await elsewhere(lambda target=target: ask(path, "POST", target))

    asyncio.run(script())
    me = f"uid:{os.getuid()}"
    assert [
        AdminActed(me, "drain"),
        AdminActed(me, "drain.undo"),
        AdminActed(me, "hangup", "c4ll"),
    ] == audit.entries
