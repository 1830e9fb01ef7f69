"""OpenAI Realtime's HTTP shape: raw offers, forms, hanging up, client tokens."""

import asyncio
import json
from collections.abc import Callable
from typing import Any, cast

import aiohttp
import pytest
from aiohttp.test_utils import TestClient, TestServer
from multidict import CIMultiDictProxy

from tests.unit.realtime.conftest import FakeCall
from voiced.audit.entries import PassIssued
from voiced.call.desk import Answered, Desk
from voiced.call.roster import Access
from voiced.errors import Refused
from voiced.ops.health import Health
from voiced.realtime.client_secrets import PATH as SECRETS
from voiced.realtime.forms import SESSION_BYTES
from voiced.realtime.routes import PATH, routes
from voiced.testing.audit import FakeAudit
from voiced.web.app import application
from voiced.web.door import Door
from voiced.web.keys import Keys, plain
from voiced.web.offers import OFFER_BYTES
from voiced.web.passes import Passes

pytestmark = pytest.mark.unit

SDP = {"Content-Type": "application/sdp"}
TOKEN = "a-token-of-the-site"
SHOWN = {"Authorization": f"Bearer {TOKEN}"}


class FakeDesk:
    """Answers every offer, and lets the program's end of the channel begin."""

    agents = ("desk", "intake")

    def __init__(self) -> None:
        self.asked: list[tuple[str, str | None]] = []
        self.told: list[dict[str, Any]] = []
        self.hung_up: list[str] = []
        self.access: list[Access] = []
        self.audit = FakeAudit()

    async def answer(
        self, offer: str, agent: str | None, present: Callable[..., Any], access: Access
    ) -> Answered:
        self.asked.append((offer, agent))
        self.access.append(access)
        present(lambda text: self.told.append(json.loads(text)), FakeCall())
        return Answered("c4ll", "v=0 the answer", "t0ken")

    def hang_up(self, name: str) -> None:
        if name != "c4ll":
            raise Refused(404, "unknown-call", "there is no such call")
        self.hung_up.append(name)

    def check_agent(self, name: str | None) -> None:
        if name not in (None, "desk"):
            raise Refused(404, "unknown-agent", "there is no such agent")


class Told:
    """A response, read to its end."""

    def __init__(self, status: int, headers: CIMultiDictProxy[str], text: str) -> None:
        self.status, self.headers, self.text = status, headers, text

    @property
    def json(self) -> dict[str, Any]:
        return cast("dict[str, Any]", json.loads(self.text))

    @property
    def kind(self) -> str:
        return str(self.json["type"]).removeprefix("urn:voiced:problem:")


def ask(desk: FakeDesk, *requests: tuple[str, dict[str, Any]], site: bool = False) -> list[Told]:
    async def story() -> list[Told]:
        passes = Passes(bytes(32))
        door = Door(Keys([plain(TOKEN.encode())]) if site else None, passes)
        app = application(Health(), door, routes(cast(Desk, desk), passes, desk.audit))
        told = []
        async with TestClient(TestServer(app)) as client:
            for path, more in requests:
                if "token_of_answer" in more:
                    token = told[more.pop("token_of_answer")].json["value"]
                    more["headers"] = {**SDP, "Authorization": f"Bearer {token}"}
                async with client.request(more.pop("method", "POST"), path, **more) as response:
                    told.append(Told(response.status, response.headers, await response.text()))
        return told

    return asyncio.run(story())


def form(**parts: str | bytes) -> dict[str, Any]:
    data = aiohttp.FormData(default_to_multipart=True)
    for name, text in parts.items():
        data.add_field(name, text)
    return {"data": data}


def test_a_raw_offer_is_answered() -> None:
    desk = FakeDesk()
    [told] = ask(desk, (PATH + "?agent=desk", {"data": "v=0", "headers": SDP}))

    assert (201, f"{PATH}/c4ll", "v=0 the answer") == (
        told.status,
        told.headers["Location"],
        told.text,
    )
    assert ([("v=0", "desk")], ["session.created"]) == (desk.asked, [e["type"] for e in desk.told])


def test_a_form_holds_an_offer_and_what_its_session_would_like() -> None:
    desk = FakeDesk()
    session = json.dumps({"type": "realtime", "model": "gpt-realtime", "instructions": "Be rude."})
    [told] = ask(desk, (PATH, form(sdp="v=0", session=session)))

    assert (201, [("v=0", None)]) == (told.status, desk.asked)
    assert ["session.created", "error"] == [event["type"] for event in desk.told]
    assert "session.instructions" == desk.told[1]["error"]["param"]


@pytest.mark.parametrize(
    ("parts", "status", "kind"),
    [
        ({"session": "{}"}, 400, "wrong-form"),
        ({"sdp": "v=0", "other": "x"}, 400, "wrong-form"),
        ({"sdp": "v=0", "session": "{"}, 400, "not-json"),
        ({"sdp": "v=0", "session": "[]"}, 400, "wrong-session"),
        ({"sdp": "v=0", "session": '{"type": "transcription"}'}, 400, "wrong-session"),
        ({"sdp": "v" * (OFFER_BYTES + 1)}, 413, "too-large"),
        ({"sdp": "v=0", "session": " " * (SESSION_BYTES + 1)}, 413, "too-large"),
    ],
)
def test_a_form_that_is_none_is_refused(
    parts: dict[str, str | bytes], status: int, kind: str
) -> None:
    desk = FakeDesk()
    [told] = ask(desk, (PATH, form(**parts)))

    assert (status, kind, []) == (told.status, told.kind, desk.asked)


def test_the_largest_form_is_taken() -> None:
    desk = FakeDesk()
    session = json.dumps({"type": "realtime"}).ljust(SESSION_BYTES)
    [told] = ask(desk, (PATH, form(sdp="v" * OFFER_BYTES, session=session)))

    assert 201 == told.status


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"--x\r\nnonsense",
        b"\xff" * 100,
        b'--x\r\nContent-Disposition: nonsense="\r\n\r\nv=0\r\n--x--\r\n',
        b'--x\r\nContent-Disposition: form-data; name="sdp"\r\n\r\nv=0\xff\r\n--x--\r\n',
    ],
)
def test_a_form_that_breaks_off_is_no_failure_of_ours(body: bytes) -> None:
    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    [told] = ask(FakeDesk(), (PATH, {"data": body, "headers": headers}))

    assert 400 == told.status


@pytest.mark.parametrize("kind", ["application/json", "multipart/mixed; boundary=x", "text/plain"])
def test_other_types_are_refused(kind: str) -> None:
    [told] = ask(FakeDesk(), (PATH, {"data": b"{}", "headers": {"Content-Type": kind}}))

    assert 415 == told.status


def test_hanging_up() -> None:
    desk = FakeDesk()
    ended, unknown = ask(desk, (f"{PATH}/c4ll/hangup", {}), (f"{PATH}/other/hangup", {}))

    assert (200, 404, ["c4ll"]) == (ended.status, unknown.status, desk.hung_up)


def test_a_client_token_places_calls_to_its_agent_and_to_no_other() -> None:
    desk = FakeDesk()
    asked = {"session": {"type": "realtime", "model": "gpt-realtime"}}
    issued, placed = ask(
        desk,
        (SECRETS + "?agent=desk", {"json": asked, "headers": SHOWN}),
        (PATH + "?agent=other", {"data": "v=0", "token_of_answer": 0}),
        site=True,
    )

    assert (200, 201, [("v=0", "desk")]) == (issued.status, placed.status, desk.asked)
    assert "ek_" == issued.json["value"][:3]
    assert "realtime" == issued.json["session"]["type"]
    assert "no-store" == issued.headers["Cache-Control"]


def test_who_was_given_a_client_token_and_who_calls_with_it_is_known() -> None:
    """The key that asked for it, and then the token's own name: the audit joins the two."""
    desk = FakeDesk()
    shown = {"Authorization": f"Bearer {TOKEN}"}
    ask(
        desk,
        (SECRETS, {"json": {"agent": "desk"}, "headers": shown}),
        (PATH, {"data": "v=0", "token_of_answer": 0}),
        (PATH, {"data": "v=0", "headers": {**SDP, **shown}}),
        site=True,
    )

    [issued] = desk.audit.entries
    assert isinstance(issued, PassIssued)
    assert ("key:token", "127.0.0.1", "desk", 600) == (
        issued.actor,
        issued.origin,
        issued.agent,
        issued.seconds,
    )
    assert [Access("127.0.0.1", issued.issued), Access("127.0.0.1", "key:token")] == desk.access


def test_a_client_token_cannot_make_another() -> None:
    issued, again = ask(
        FakeDesk(),
        (SECRETS, {"headers": SHOWN}),
        (SECRETS, {"token_of_answer": 0}),
        site=True,
    )

    assert (200, 403) == (issued.status, again.status)


@pytest.mark.parametrize("seconds", [9, 7201, "60", None, True, 60.5])
def test_a_client_token_lives_for_ten_seconds_to_two_hours(seconds: object) -> None:
    asked = {"expires_after": {"anchor": "created_at", "seconds": seconds}}
    [told] = ask(FakeDesk(), (SECRETS, {"json": asked}))

    assert (400, "wrong-expiry") == (told.status, told.kind)


def test_a_client_token_for_an_unknown_agent_is_not_made() -> None:
    [told] = ask(FakeDesk(), (SECRETS, {"json": {"agent": "doctor"}}))

    assert (404, "unknown-agent") == (told.status, told.kind)


@pytest.mark.parametrize("body", ["{", "[]", '{"session": 3}', '{"agent": 3}'])
def test_a_request_that_makes_no_sense_is_refused(body: str) -> None:
    assert 400 == ask(FakeDesk(), (SECRETS, {"data": body}))[0].status


def test_who_can_be_called_is_listed_and_a_client_token_sees_its_own_agent_alone() -> None:
    listing = {"method": "GET", "headers": SHOWN}
    issued, every, own = ask(
        FakeDesk(),
        (SECRETS + "?agent=desk", {"json": {}, "headers": SHOWN}),
        ("/v1/models", listing),
        ("/v1/models", {"method": "GET", "token_of_answer": 0}),
        site=True,
    )

    assert 200 == issued.status
    assert ["desk", "intake"] == [one["id"] for one in every.json["data"]]
    assert ["desk"] == [one["id"] for one in own.json["data"]]
