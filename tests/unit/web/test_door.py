"""Who gets in, with what, from where."""

import asyncio
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from voiced.config.settings import Http
from voiced.ops.health import Health
from voiced.web.app import application
from voiced.web.door import PASS, Door
from voiced.web.keys import Key, Keys, Right, digested, plain
from voiced.web.passes import Passes

pytestmark = pytest.mark.unit

TOKEN = "a-token-of-the-site"
WARD = "https://ward.example"
PASSES = Passes(bytes(32))
EVERYTHING = ["/whip", "/whip/c", "/v1/models", "/metrics", "/metrics2", "/attend/state", "/join/c"]


def ask(
    method: str,
    path: str,
    *,
    site: str | None = TOKEN,
    origins: tuple[str, ...] = (),
    keys: Keys | None = None,
    door: Door | None = None,
    **more: Any,
) -> tuple[int, dict[str, str], str]:
    """Status, headers and body of one request; the body is the agent of the pass."""

    async def here(request: web.Request) -> web.Response:
        shown = request.get(PASS)
        return web.Response(text=str(shown.agent) if shown is not None else "no pass")

    async def story() -> tuple[int, dict[str, str], str]:
        more_paths = {*EVERYTHING, "/console/a"} - {"/metrics"}
        routes = [web.route("*", path, here) for path in more_paths]
        plain_key = Keys([plain(site.encode())]) if site is not None else None
        guard = door or Door(keys or plain_key, PASSES, Http(origins=origins))
        async with (
            TestClient(TestServer(application(Health(), guard, routes))) as client,
            client.request(method, path, **more) as response,
        ):
            return response.status, dict(response.headers), await response.text()

    return asyncio.run(story())


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@pytest.mark.parametrize("site", [TOKEN, None])
@pytest.mark.parametrize(("method", "path"), [("POST", "/whip"), ("DELETE", "/whip/c")])
def test_a_pass_places_and_ends_calls(site: str | None, method: str, path: str) -> None:
    token, _ = PASSES.issue("desk", 60)

    assert (200, "desk") == ask(method, path, site=site, headers=bearer(token))[::2]


def test_a_pass_learns_whom_it_can_call() -> None:
    token, _ = PASSES.issue("desk", 60)

    assert (200, "desk") == ask("GET", "/v1/models", headers=bearer(token))[::2]


@pytest.mark.parametrize("path", ["/metrics2", "/metrics", "/whipped", "/attend/state"])
def test_a_pass_opens_nothing_else(path: str) -> None:
    token, _ = PASSES.issue(None, 60)

    assert 403 == ask("GET", path, headers=bearer(token))[0]


@pytest.mark.parametrize("site", [TOKEN, None])
def test_a_forged_pass_is_refused_even_where_none_is_needed(site: str | None) -> None:
    assert 401 == ask("POST", "/whip", site=site, headers=bearer("ek_forged.x"))[0]


def test_on_loopback_any_key_of_another_service_will_do() -> None:
    """Stock clients always send one."""
    headers = bearer("sk-of-somebody-else")

    assert (200, "no pass") == ask("POST", "/whip", site=None, headers=headers)[::2]


def test_the_page_itself_needs_no_token() -> None:
    assert 200 == ask("GET", "/console/a")[0]
    assert 401 == ask("GET", "/console")[0]


def test_a_page_of_another_origin_may_not_call() -> None:
    status, headers, _ = ask("POST", "/whip", site=None, headers={"Origin": "https://evil.example"})

    assert (403, False) == (status, "Access-Control-Allow-Origin" in headers)


def test_a_page_of_a_named_origin_may_and_reads_the_answer() -> None:
    headers = {"Origin": WARD, **bearer(TOKEN)}
    status, told, _ = ask("POST", "/whip", origins=(WARD,), headers=headers)

    assert (200, WARD, "Origin") == (status, told["Access-Control-Allow-Origin"], told["Vary"])
    assert "Location" in told["Access-Control-Expose-Headers"]


def test_a_preflight_needs_no_token() -> None:
    headers = {"Origin": WARD, "Access-Control-Request-Method": "POST"}
    status, told, _ = ask("OPTIONS", "/whip", origins=(WARD,), headers=headers)

    assert (204, WARD) == (status, told["Access-Control-Allow-Origin"])
    assert "Authorization" in told["Access-Control-Allow-Headers"]


def test_other_options_need_one() -> None:
    assert 401 == ask("OPTIONS", "/whip")[0]


@pytest.mark.parametrize(
    ("right", "opened"),
    [
        (Right.CALL, ["/whip", "/whip/c", "/v1/models"]),
        (Right.WATCH, ["/metrics"]),
        (Right.ATTEND, ["/attend/state"]),
        (Right.JOIN, ["/attend/state", "/join/c"]),
        (Right.OPERATE, EVERYTHING),
    ],
)
def test_a_key_opens_what_its_right_says_and_nothing_else(right: Right, opened: list[str]) -> None:
    key = Key(name="ward", sha256=digested("vk_ward"), right=right)
    told = {
        path: ask("GET", path, keys=Keys([key]), headers=bearer("vk_ward"))[0]
        for path in EVERYTHING
    }

    assert opened == [path for path, status in told.items() if status == 200]
    assert {200, 403} >= set(told.values())


def test_keys_that_are_renewed_hold_at_once() -> None:
    door = Door(Keys([Key(name="old", sha256=digested("vk_old"))]), PASSES)
    door.renew(Keys([Key(name="new", sha256=digested("vk_new"))]))

    assert 401 == ask("GET", "/whip", door=door, headers=bearer("vk_old"))[0]
    assert 200 == ask("GET", "/whip", door=door, headers=bearer("vk_new"))[0]


@pytest.mark.parametrize(
    ("path", "status"),
    [("/whip?resume=x", 200), ("/whip/c?resume=x", 401), ("/metrics2?resume=x", 401)],
)
def test_the_token_of_a_call_is_the_key_to_it_and_to_nothing_else(path: str, status: int) -> None:
    """A client token may have expired in a long call; whether this one is right, the desk knows."""
    assert status == ask("POST", path)[0]
