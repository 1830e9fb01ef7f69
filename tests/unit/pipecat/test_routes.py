"""pipecat's HTTP shape: offers as JSON, candidates that nobody looks at."""

import asyncio
from typing import Any, cast

import pytest
from aiohttp.test_utils import TestClient, TestServer

from voiced.call.desk import Answered, Desk
from voiced.errors import Refused
from voiced.ops.health import Health
from voiced.pipecat.routes import PATH, routes
from voiced.web.app import application
from voiced.web.door import Door
from voiced.web.passes import Passes

pytestmark = pytest.mark.unit

OFFER = {"sdp": "v=0", "type": "offer"}


class FakeDesk:
    """Has one call, c4ll."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str | None]] = []
        self.resumed: list[str] = []

    async def answer(self, offer: str, agent: str | None, *_more: object) -> Answered:
        self.asked.append((offer, agent))
        return Answered("c4ll", "v=0 the answer", "token")

    async def resume(self, offer: str, token: str, *_more: object) -> Answered:
        if token != "token":
            raise Refused(401, "no-return", "this token leads to no call")
        self.resumed.append(offer)
        return Answered("c4ll", "v=0 the answer", "another")

    def check(self, name: str) -> None:
        if name != "c4ll":
            raise Refused(404, "unknown-call", "there is no such call")


def ask(desk: FakeDesk, method: str, path: str = PATH, **more: Any) -> tuple[int, dict[str, Any]]:
    async def story() -> tuple[int, dict[str, Any]]:
        door = Door(None, Passes(bytes(32)))
        app = application(Health(), door, routes(cast(Desk, desk)))
        async with (
            TestClient(TestServer(app)) as client,
            client.request(method, path, **more) as response,
        ):
            return response.status, await response.json(content_type=None)

    return asyncio.run(story())


def test_an_offer_is_answered() -> None:
    desk = FakeDesk()
    status, told = ask(desk, "POST", PATH + "?agent=desk", json={**OFFER, "pc_id": None})

    assert (200, [("v=0", "desk")]) == (status, desk.asked)
    assert {"sdp": "v=0 the answer", "type": "answer", "pc_id": "c4ll.token"} == told


def test_who_wants_another_connection_goes_on_with_the_call() -> None:
    desk = FakeDesk()
    status, told = ask(desk, "POST", json={**OFFER, "pc_id": "c4ll.token", "restart_pc": True})

    assert (200, "c4ll.another", ["v=0"], []) == (status, told["pc_id"], desk.resumed, desk.asked)


@pytest.mark.parametrize("gone", ["c4ll", "c4ll.", "c4ll.spent", "other.x", ""])
def test_who_wants_to_go_on_with_a_call_that_is_over_begins_another(gone: str) -> None:
    desk = FakeDesk()
    status, told = ask(desk, "POST", json={**OFFER, "pc_id": gone, "restart_pc": True})

    assert (200, "c4ll.token", [("v=0", None)]) == (status, told["pc_id"], desk.asked)


def test_a_connection_is_not_changed() -> None:
    desk = FakeDesk()

    assert 422 == ask(desk, "POST", json={**OFFER, "pc_id": "c4ll.token"})[0]
    assert ([], []) == (desk.asked, desk.resumed)


@pytest.mark.parametrize("body", ["", "{", "[]", "{}", '{"sdp": 3, "type": "offer"}'])
def test_what_is_no_offer_is_refused(body: str) -> None:
    assert 400 == ask(FakeDesk(), "POST", data=body)[0]


def test_an_offer_has_a_size() -> None:
    assert 413 == ask(FakeDesk(), "POST", json={**OFFER, "sdp": "v" * 40_000})[0]


def test_candidates_of_a_call_are_taken() -> None:
    assert 200 == ask(FakeDesk(), "PATCH", json={"pc_id": "c4ll.token", "candidates": []})[0]
    assert 404 == ask(FakeDesk(), "PATCH", json={"pc_id": "other", "candidates": []})[0]
