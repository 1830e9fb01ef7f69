"""The operator's page asks with a key: what it is told, and what it may do."""

import asyncio
from typing import Any, cast

import pytest
from aiohttp.test_utils import TestClient, TestServer

from voiced.audit.entries import AdminActed
from voiced.call.desk import Desk
from voiced.call.roster import Access, Listed
from voiced.clock import now
from voiced.control.attend import Attend
from voiced.errors import Refused
from voiced.ops.health import Health
from voiced.testing.audit import FakeAudit
from voiced.web.app import application
from voiced.web.door import Door
from voiced.web.keys import Key, Keys, Right, digested
from voiced.web.passes import Passes

pytestmark = pytest.mark.unit

KEYS = Keys([Key(name="nurses", sha256=digested("vk_desk"), right=Right.ATTEND)])
SHOWN = {"Authorization": "Bearer vk_desk"}
WARD = Access("10.1.0.0", "key:ward-3")
NOTICE = {"call": "c4ll", "agent": "reception", "reason": "red_flag"}


class FakeDesk:
    """One call is open, and one waits for a person until that is acknowledged."""

    calls, most = 1, 4
    budget = {"stt": 80}  # noqa: RUF012 - as the desk has it

    def __init__(self) -> None:
        self.admits = True
        self.live = [Listed("c4ll", "reception", "en", WARD, now() - 61.0, True, False)]
        self._waiting = [NOTICE]

    def waiting(self) -> list[dict[str, str]]:
        return self._waiting

    def acknowledge(self, call: str) -> None:
        if not any(one["call"] == call for one in self._waiting):
            raise Refused(404, "nobody-waits", "no hand-off of a call of that name waits")
        self._waiting = []

    def shut(self) -> None:
        self.admits = False

    def reopen(self) -> None:
        self.admits = True


def asked(
    *requests: tuple[str, str], desk: FakeDesk | None = None, audit: FakeAudit | None = None
) -> list[tuple[int, dict[str, Any]]]:
    async def story() -> list[tuple[int, dict[str, Any]]]:
        health = Health()
        health.why_not = None
        attend = Attend(health, cast(Desk, desk or FakeDesk()), audit or FakeAudit())
        app = application(health, Door(KEYS, Passes(bytes(32))), attend.routes())
        told = []
        async with TestClient(TestServer(app)) as client:
            for method, path in requests:
                async with client.request(method, path, headers=SHOWN) as answer:
                    told.append((answer.status, await answer.json()))
        return told

    return asyncio.run(story())


def test_an_operator_sees_calls_lines_memory_and_who_waits() -> None:
    ((status, state),) = asked(("GET", "/attend/state"))

    assert (200, True, {"taken": 1, "most": 4}) == (status, state["ready"], state["slots"])
    (call,) = state["calls"]
    assert ("reception", "en", "key:ward-3") == (call["agent"], call["language"], call["from"])
    assert 61 <= call["seconds"] < 70
    assert ([NOTICE], {"stt": 80}) == (state["waiting"], state["budget"])
    assert state["memory"]["used_mb"] > 10
    assert state["memory"]["free_mb"] > 10


def test_who_takes_a_call_over_is_in_the_audit_and_nobody_waits_any_more() -> None:
    audit = FakeAudit()
    path = "/attend/c4ll/acknowledge"
    (first, state), (second, _) = asked(("POST", path), ("POST", path), audit=audit)

    assert (200, [], 404) == (first, state["waiting"], second)
    assert [AdminActed("key:nurses", "handoff.acknowledged", "c4ll")] == audit.entries


def test_a_drain_and_its_end() -> None:
    desk, audit = FakeDesk(), FakeAudit()
    verbs = ("drain", "drain", "resume", "resume")
    told = asked(*[("POST", f"/attend/{verb}") for verb in verbs], desk=desk, audit=audit)

    assert ["draining", "draining", None, None] == [state["why_not"] for _, state in told]
    assert ["drain", "drain.undo"] == [cast(AdminActed, one).action for one in audit.entries]
    assert desk.admits


def test_a_key_that_may_only_attend_joins_no_call() -> None:
    ((first, state), (second, _)) = asked(("GET", "/attend/state"), ("POST", "/join/c4ll"))

    assert (200, False, 403) == (first, state["may_join"], second)
