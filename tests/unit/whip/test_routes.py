"""WHIP's verbs and statuses, as RFC 9725 names them."""

import asyncio
from dataclasses import dataclass
from typing import Any, cast

import pytest
from aiohttp.test_utils import TestClient, TestServer
from multidict import CIMultiDictProxy

from voiced.call.desk import Answered, Desk
from voiced.errors import Refused
from voiced.ops.health import Health
from voiced.web.app import application
from voiced.web.door import Door
from voiced.web.passes import Passes
from voiced.whip.routes import FRAGMENT, routes

pytestmark = pytest.mark.unit

SDP = {"Content-Type": "application/sdp"}
CANDIDATE = "a=ice-ufrag:abcd\r\na=candidate:1 1 UDP 1 10.0.0.9 9 typ host\r\n"


class FakeDesk:
    """Has one call, `c`, once an offer was answered."""

    def __init__(self, failure: Refused | None = None) -> None:
        self.open = {"c"}
        self.failure = failure

    async def answer(
        self, offer: str, agent: str | None, _present: object = None, _access: object = None
    ) -> Answered:
        if self.failure is not None:
            raise self.failure
        return Answered("c", "v=0 the answer", "t0ken")

    def check(self, name: str) -> None:
        if name not in self.open:
            raise Refused(404, "unknown-call", "there is no such call")

    def hang_up(self, name: str) -> None:
        self.check(name)
        self.open.remove(name)


@dataclass
class Told:
    status: int
    headers: CIMultiDictProxy[str]
    text: str


def ask(*requests: tuple[str, str, dict[str, Any]], desk: FakeDesk | None = None) -> list[Told]:
    async def story() -> list[Told]:
        door = Door(None, Passes(bytes(32)))
        app = application(Health(), door, routes(cast(Desk, desk or FakeDesk())))
        told = []
        async with TestClient(TestServer(app)) as client:
            for method, path, more in requests:
                async with client.request(method, path, **more) as response:
                    text = await response.text()
                    told.append(Told(response.status, response.headers, text))
        return told

    return asyncio.run(story())


def trickle(if_match: str | None = '"c"', kind: str = FRAGMENT) -> tuple[str, str, dict[str, Any]]:
    headers = {"Content-Type": kind, **({"If-Match": if_match} if if_match is not None else {})}
    return "PATCH", "/whip/c", {"data": CANDIDATE, "headers": headers}


def test_an_offer_is_answered_with_its_place_and_the_name_of_its_ice_session() -> None:
    [told] = ask(("POST", "/whip", {"data": "v=0", "headers": SDP}))

    assert (201, "/whip/c", '"c"', "v=0 the answer") == (
        told.status,
        told.headers["Location"],
        told.headers["ETag"],
        told.text,
    )
    assert told.headers["Content-Type"].startswith("application/sdp")


def test_a_call_is_deleted_once() -> None:
    """An ETag does not matter here."""
    headers = {"If-Match": '"other"'}
    first, again = ask(("DELETE", "/whip/c", {"headers": headers}), ("DELETE", "/whip/c", {}))

    assert (200, 404) == (first.status, again.status)


def test_candidates_are_taken() -> None:
    [told] = ask(trickle())

    assert (204, "") == (told.status, told.text)


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (trickle(None), 428),
        (trickle('"old"'), 412),
        (trickle("*"), 422),
        (trickle(kind="application/sdp"), 415),
    ],
    ids=["no etag", "a stale etag", "an ice restart", "another type"],
)
def test_what_is_no_trickle_for_this_session_is_refused(
    request_: tuple[str, str, dict[str, Any]], status: int
) -> None:
    [told] = ask(request_)

    assert (status, True) == (told.status, "problem+json" in told.headers["Content-Type"])


def test_a_trickle_for_a_call_that_has_ended_is_refused() -> None:
    _, told = ask(("DELETE", "/whip/c", {}), trickle())

    assert 404 == told.status


def test_options_tell_what_can_be_posted_and_patched() -> None:
    endpoint, call = ask(("OPTIONS", "/whip", {}), ("OPTIONS", "/whip/c", {}))

    assert (204, "application/sdp") == (endpoint.status, endpoint.headers["Accept-Post"])
    assert (204, FRAGMENT) == (call.status, call.headers["Accept-Patch"])


@pytest.mark.parametrize(("path", "status"), [("/whip", 204), ("/whip/c", 204), ("/whip/d", 404)])
def test_looking_is_allowed_and_shows_nothing(path: str, status: int) -> None:
    [told] = ask(("GET", path, {}))

    assert status == told.status
    assert status != 204 or told.text == ""


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", "/whip", "GET, HEAD, OPTIONS, POST"),
        ("DELETE", "/whip", "GET, HEAD, OPTIONS, POST"),
        ("POST", "/whip/c", "DELETE, GET, HEAD, OPTIONS, PATCH"),
    ],
)
def test_other_verbs_are_told_the_right_ones(method: str, path: str, allowed: str) -> None:
    [told] = ask((method, path, {}))

    assert (405, allowed) == (told.status, told.headers["Allow"])


def test_a_full_house_says_when_to_come_again() -> None:
    desk = FakeDesk(Refused(503, "full", "every line is taken", retry_after_s=30))
    [told] = ask(("POST", "/whip", {"data": "v=0", "headers": SDP}), desk=desk)

    assert (503, "30") == (told.status, told.headers["Retry-After"])
