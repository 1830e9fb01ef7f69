"""Offers over HTTP: what is let through to the desk, and how everything else is told."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, cast

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from voiced.call.desk import Answered, Desk
from voiced.config.settings import Http
from voiced.errors import Refused
from voiced.ops import log
from voiced.ops.health import VERSION, Health
from voiced.web import offers
from voiced.web.app import Site, application
from voiced.web.door import Door as Guard
from voiced.web.keys import Keys, plain
from voiced.web.offers import OFFER_BYTES
from voiced.web.passes import Passes

pytestmark = pytest.mark.unit

TOKEN = b"a-token-of-the-site"
SHOWN = {"Authorization": f"Bearer {TOKEN.decode()}"}
SDP = {"Content-Type": "application/sdp"}


class FakeDesk:
    """Answers every offer, or fails as it is told to."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str | None]] = []
        self.failure: Exception | None = None

    async def answer(
        self, offer: str, agent: str | None, _present: object = None, _access: object = None
    ) -> Answered:
        self.asked.append((offer, agent))
        if self.failure is not None:
            raise self.failure
        return Answered("c4ll", "v=0 the answer", "t0ken")

    async def resume(self, offer: str, token: str, _present: object = None) -> Answered:
        if token != "t0ken":
            raise Refused(401, "no-return", "this token leads to no call")
        return Answered("c4ll", f"v=0 the answer to {offer}", "another")


@dataclass
class Told:
    """A response, read to its end."""

    status: int
    headers: dict[str, str]
    text: str

    @property
    def problem(self) -> dict[str, Any]:
        assert self.headers["Content-Type"].startswith("application/problem+json")
        return cast("dict[str, Any]", json.loads(self.text))


Ask = Callable[..., Awaitable[Told]]


class Door:
    """The application with one route for offers, and the desk behind it."""

    def __init__(self, token: bytes | None = None, http: Http | None = None) -> None:
        self.desk = FakeDesk()
        self.health = Health()

        async def post(request: web.Request) -> web.Response:
            return await offers.answer(request, cast(Desk, self.desk), "/calls")

        keys = Keys([plain(token)]) if token is not None else None
        guard = Guard(keys, Passes(bytes(32)), http)
        self.app = application(self.health, guard, [web.post("/calls", post)])

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Ask]:
        async with TestClient(TestServer(self.app)) as client:

            async def ask(method: str, path: str, **more: Any) -> Told:
                async with client.request(method, path, **more) as response:
                    return Told(response.status, dict(response.headers), await response.text())

            yield ask

    def ask(self, method: str, path: str, **more: Any) -> Told:
        async def story() -> Told:
            async with self.open() as ask:
                return await ask(method, path, **more)

        return asyncio.run(story())


def test_an_offer_is_answered_with_the_place_of_the_call() -> None:
    door = Door()
    told = door.ask("POST", "/calls?agent=desk", data="v=0", headers=SDP)

    assert (201, "/calls/c4ll", "v=0 the answer") == (
        told.status,
        told.headers["Location"],
        told.text,
    )
    assert told.headers["Content-Type"].startswith("application/sdp")
    assert [("v=0", "desk")] == door.desk.asked


@pytest.mark.parametrize("headers", [SDP, {**SDP, "Authorization": "Bearer wrong"}])
def test_without_the_token_nothing_is_even_read(headers: dict[str, str]) -> None:
    door = Door(TOKEN)
    told = door.ask("POST", "/calls", data="v=0", headers=headers)

    assert (401, "Bearer", []) == (told.status, told.headers["WWW-Authenticate"], door.desk.asked)
    assert "urn:voiced:problem:unauthorized" == told.problem["type"]


def test_with_the_token_an_offer_is_answered() -> None:
    assert 201 == Door(TOKEN).ask("POST", "/calls", data="v=0", headers={**SDP, **SHOWN}).status


@pytest.mark.parametrize(("path", "status"), [("/healthz", 200), ("/readyz", 503)])
def test_a_load_balancer_needs_no_token(path: str, status: int) -> None:
    assert status == Door(TOKEN).ask("GET", path).status


@pytest.mark.parametrize("path", ["/metrics", "/calls", "/no-such-path", "/healthz/"])
def test_everything_else_needs_it(path: str) -> None:
    """Also what is not there: a stranger cannot find out which routes there are."""
    assert 401 == Door(TOKEN).ask("GET", path).status


def test_metrics_are_in_prometheus_format() -> None:
    told = Door(TOKEN).ask("GET", "/metrics", headers=SHOWN)

    assert 200 == told.status
    assert told.headers["Content-Type"].startswith("text/plain")
    assert "# TYPE voiced_calls gauge" in told.text


def test_readiness_says_why_not() -> None:
    door = Door()
    before = door.ask("GET", "/readyz")
    ready = Door()
    ready.health.why_not = None
    after = ready.ask("GET", "/readyz")

    told = {"version": VERSION, "alarms": [], "left_out": []}
    assert (503, {**told, "ready": False, "why_not": "starting"}) == (
        before.status,
        json.loads(before.text),
    )
    assert (200, {**told, "ready": True, "why_not": None}) == (
        after.status,
        json.loads(after.text),
    )


def test_an_alarm_is_told_though_calls_are_taken() -> None:
    door = Door()
    door.health.why_not = None
    door.health.alarm("vault", "calls are not kept")
    door.health.alarm("disk", "full")
    door.health.alarm("disk", None)

    told = door.ask("GET", "/readyz")
    assert (200, ["calls are not kept"]) == (told.status, json.loads(told.text)["alarms"])


def test_the_largest_offer_is_taken_and_one_byte_more_is_not() -> None:
    largest = Door().ask("POST", "/calls", data=b"v" * OFFER_BYTES, headers=SDP)
    door = Door()
    larger = door.ask("POST", "/calls", data=b"v" * (OFFER_BYTES + 1), headers=SDP)

    assert (201, 413, []) == (largest.status, larger.status, door.desk.asked)
    assert "urn:voiced:problem:too-large" == larger.problem["type"]


def test_a_large_offer_without_a_length_is_not_read_to_its_end() -> None:
    async def flood() -> AsyncIterator[bytes]:
        for _ in range(64):
            yield b"v" * 1024

    door = Door()
    told = door.ask("POST", "/calls", data=flood(), headers=SDP)

    assert (413, []) == (told.status, door.desk.asked)


@pytest.mark.parametrize("kind", ["application/json", "text/plain", ""])
def test_what_is_no_offer_is_refused_by_its_type(kind: str) -> None:
    told = Door().ask("POST", "/calls", data=b"{}", headers={"Content-Type": kind})

    assert (415, "urn:voiced:problem:not-sdp") == (told.status, told.problem["type"])


def test_an_offer_that_is_no_text_is_refused_and_not_quoted() -> None:
    told = Door().ask("POST", "/calls", data=b"v=0\xff\xfe", headers=SDP)

    assert (400, "the offer is not text") == (told.status, told.problem["detail"])


def test_an_offer_that_never_ends_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offers, "BODY_S", 0.01)

    async def trickle(ended: asyncio.Event) -> AsyncIterator[bytes]:
        yield b"v=0"
        await ended.wait()

    async def story() -> Told:
        ended = asyncio.Event()
        async with door.open() as ask:
            told = await ask("POST", "/calls", data=trickle(ended), headers=SDP)
            ended.set()
            return told

    door = Door()

    assert (408, []) == (asyncio.run(story()).status, door.desk.asked)


def test_a_body_that_is_not_coded_as_it_says_is_the_callers_fault() -> None:
    """It is refused, and no failure of the server's."""
    door = Door()
    told = door.ask(
        "POST", "/calls", data=b"no gzip at all", headers={**SDP, "Content-Encoding": "gzip"}
    )

    assert (400, []) == (told.status, door.desk.asked)
    assert "urn:voiced:problem:broken-body" == told.problem["type"]


def test_a_full_house_says_when_to_come_again() -> None:
    door = Door()
    door.desk.failure = Refused(503, "full", "every line is taken", retry_after_s=30)
    told = door.ask("POST", "/calls", data="v=0", headers=SDP)

    assert (503, "30") == (told.status, told.headers["Retry-After"])
    assert {
        "type": "urn:voiced:problem:full",
        "title": "full",
        "status": 503,
        "detail": "every line is taken",
    } == told.problem


def test_a_path_that_is_not_there_is_a_problem() -> None:
    told = Door().ask("GET", "/no-such-path")

    assert (404, "urn:voiced:problem:unknown-route") == (told.status, told.problem["type"])


def test_a_wrong_method_is_told_the_right_ones() -> None:
    told = Door().ask("DELETE", "/calls")

    assert (405, "POST", 405) == (told.status, told.headers["Allow"], told.problem["status"])


def test_a_failure_shows_no_trace_and_no_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    logged: list[str] = []
    monkeypatch.setattr(log, "failure", lambda event, _error: logged.append(event))
    door = Door()
    door.desk.failure = ValueError("penicillin")
    told = door.ask("POST", "/calls", data="v=0", headers=SDP)

    assert (500, ["request.failed"]) == (told.status, logged)
    assert "urn:voiced:problem:internal" == told.problem["type"]
    assert [] == [word for word in ("penicillin", "ValueError", "Traceback") if word in told.text]


@pytest.mark.parametrize("path", ["/healthz", "/no-such-path"])
def test_nobody_is_told_what_the_server_is_made_of(path: str) -> None:
    assert "voiced" == Door().ask("GET", path).headers["Server"]


def test_a_redirect_is_no_problem() -> None:
    async def elsewhere(_request: web.Request) -> web.Response:
        raise web.HTTPTemporaryRedirect("/other")

    door = Door()
    door.app.router.add_get("/elsewhere", elsewhere)
    told = door.ask("GET", "/elsewhere", allow_redirects=False)

    assert (307, "/other") == (told.status, told.headers["Location"])


def test_a_site_listens_on_a_free_port_and_lets_it_go() -> None:
    async def story() -> tuple[bool, bool]:
        site = await Site.open(Door().app, "127.0.0.1", 0)
        with pytest.raises(OSError, match="in use"):
            await Site.open(Door().app, "127.0.0.1", site.port)
        await site.close()
        again = await Site.open(Door().app, "127.0.0.1", site.port)
        await again.close()
        return site.port > 0, again.port == site.port

    assert (True, True) == asyncio.run(story())


def test_every_answer_tells_a_browser_to_do_nothing_with_it() -> None:
    """Also one that refuses: no script runs in it, no page frames it, nobody keeps it."""
    for path in ("/healthz", "/no-such-path"):
        headers = Door().ask("GET", path).headers

        assert "default-src 'none'; frame-ancestors 'none'" == headers["Content-Security-Policy"]
        assert ("nosniff", "no-referrer", "no-store") == (
            headers["X-Content-Type-Options"],
            headers["Referrer-Policy"],
            headers["Cache-Control"],
        )
        assert "Strict-Transport-Security" not in headers


def test_who_asks_too_often_is_told_when_to_ask_again() -> None:
    door = Door(http=Http(address_per_minute=2))

    async def story() -> list[Told]:
        async with door.open() as ask:
            return [await ask("POST", "/calls", data="v=0", headers=SDP) for _ in range(3)]

    *heard, refused = asyncio.run(story())

    assert [201, 201] == [told.status for told in heard]
    assert (429, "urn:voiced:problem:too-often") == (refused.status, refused.problem["type"])
    assert 28 <= int(refused.headers["Retry-After"]) <= 30
    assert 2 == len(door.desk.asked)


def test_a_load_balancer_may_ask_as_often_as_it_likes() -> None:
    door = Door(http=Http(address_per_minute=1))

    async def story() -> set[int]:
        async with door.open() as ask:
            return {(await ask("GET", "/healthz")).status for _ in range(20)}

    assert {200} == asyncio.run(story())


def test_one_key_may_not_ask_for_all_from_many_addresses() -> None:
    door = Door(TOKEN, Http(key_per_minute=1))

    async def story() -> list[int]:
        async with door.open() as ask:
            headers = {**SDP, **SHOWN}
            asked = [await ask("POST", "/calls", data="v=0", headers=headers) for _ in range(2)]
            return [told.status for told in asked]

    assert [201, 429] == asyncio.run(story())


def test_guessing_keys_is_slow() -> None:
    """Wrong ones count as well: by the address that they come from."""
    door = Door(TOKEN, Http(address_per_minute=3))

    async def story() -> list[int]:
        async with door.open() as ask:
            headers = {"Authorization": "Bearer a-guess-of-some-length"}
            return [(await ask("GET", "/metrics", headers=headers)).status for _ in range(4)]

    assert [401, 401, 401, 429] == asyncio.run(story())


def test_an_answer_holds_the_token_for_a_return_and_a_return_the_next_one() -> None:
    first = Door().ask("POST", "/calls", data="v=0", headers=SDP)
    token = first.headers["X-Voiced-Session"]
    back = Door().ask("POST", f"/calls?resume={token}", data="v=1", headers=SDP)

    assert (201, first.headers["Location"]) == (back.status, back.headers["Location"])
    assert ("v=0 the answer to v=1", "another") == (back.text, back.headers["X-Voiced-Session"])


def test_a_token_that_leads_nowhere_begins_no_call() -> None:
    door = Door()
    told = door.ask("POST", "/calls?resume=spent", data="v=0", headers=SDP)

    assert (401, "urn:voiced:problem:no-return") == (told.status, told.problem["type"])
    assert [] == door.desk.asked
