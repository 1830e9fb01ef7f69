"""What a site's server is asked, and what of its answer is taken."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from voiced.call.servers import Servers, found
from voiced.call.tools import LARGEST, ToolFailed
from voiced.config.agent import Agent, Lines, Tool
from voiced.words import Words

pytestmark = pytest.mark.unit

ARGUMENTS = Words('{"ward": "N\u00f6rd"}')
BEDS = Tool(name="beds", description="", kind="http", url="")
NAME = "beds.invalid"
AGENT = Agent(
    name="desk",
    languages=("en",),
    prompt="You are the front desk.",
    lines={"en": Lines(greeting="Hello.", fallback="Sorry?", goodbye="Goodbye.")},
    voices={"en": "joe"},
)


@dataclass
class Seen:
    """A request, as the server read it."""

    body: str
    key: str
    kind: str
    host: str


class Site:
    """A server behind a name that only the pinned addresses know."""

    def __init__(self, answer: Callable[[], web.StreamResponse]) -> None:
        self.answer = answer
        self.seen: list[Seen] = []

    async def take(self, request: web.Request) -> web.StreamResponse:
        kind, key = request.content_type, request.headers["Idempotency-Key"]
        self.seen.append(Seen((await request.text()), key, kind, request.url.host or ""))
        return self.answer()

    def ask(self, addresses: tuple[str, ...] = ("127.0.0.1",), scheme: str = "http") -> str:
        return asyncio.run(self._ask(addresses, scheme))

    async def _ask(self, addresses: tuple[str, ...], scheme: str) -> str:
        app = web.Application()
        app.router.add_post("/find", self.take)
        app.router.add_post("/elsewhere", self.take)
        async with TestServer(app) as server:
            tool = replace(BEDS, url=f"{scheme}://{NAME}:{server.port}/find")
            return (await Servers({NAME: addresses})(tool, ARGUMENTS, "k3y")).reveal()


def test_the_arguments_are_posted_and_the_answer_is_text() -> None:
    site = Site(lambda: web.json_response({"free": 2}))

    assert '{"free": 2}' == site.ask()
    assert [Seen('{"ward": "N\u00f6rd"}', "k3y", "application/json", NAME)] == site.seen


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_no_redirect_is_followed(status: int) -> None:
    site = Site(lambda: web.Response(status=status, headers={"Location": "/elsewhere"}))

    with pytest.raises(ToolFailed, match=f"status {status}"):
        site.ask()
    assert 1 == len(site.seen)


def test_a_server_that_refuses_is_told_by_its_status_alone() -> None:
    with pytest.raises(ToolFailed, match=r"^the server refused it: status 500$"):
        Site(lambda: web.Response(status=500, text="a stack trace")).ask()


def test_of_an_answer_without_end_so_much_is_read_that_it_is_known_to_be_too_long() -> None:
    assert LARGEST + 1 == len(Site(lambda: web.Response(text="x" * (4 * LARGEST))).ask())


def test_what_is_no_text_is_read_as_far_as_it_goes() -> None:
    assert "a\ufffdb" == Site(lambda: web.Response(body=b"a\xffb")).ask()


def test_a_name_that_was_not_known_at_the_start_is_not_reached() -> None:
    with pytest.raises(ToolFailed, match="cannot be reached"):
        Site(lambda: web.Response()).ask(addresses=())


def test_a_server_without_tls_is_none_where_tls_is_asked_for() -> None:
    with pytest.raises(ToolFailed, match="cannot be reached"):
        Site(lambda: web.Response()).ask(scheme="https")


def test_no_proxy_of_the_environment_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")

    assert "ok" == Site(lambda: web.Response(text="ok")).ask()


@pytest.mark.parametrize(
    ("host", "reached"), [("127.0.0.1", True), ("169.254.169.254", False), ("0.0.0.0", False)]
)
def test_a_name_is_resolved_once_and_not_to_what_no_server_has(host: str, reached: bool) -> None:
    async def resolved() -> bool:
        looked_up: list[str] = []
        loop = asyncio.get_running_loop()

        async def look_up(name: str, _port: object, **_more: object) -> list[object]:
            looked_up.append(name)
            return [(0, 0, 0, "", (host, 0))]

        loop.getaddrinfo = look_up  # type: ignore[method-assign,assignment]
        tool = replace(BEDS, url=f"http://{NAME}/find")
        servers = await found([replace(AGENT, tools=(tool, replace(tool, name="more")))])
        assert [NAME] == looked_up
        return bool(servers.addresses[NAME])

    assert reached == asyncio.run(resolved())


def test_a_name_that_nobody_knows_stops_nothing() -> None:
    async def resolved() -> Servers:
        async def look_up(*_asked: object, **_more: object) -> list[object]:
            raise OSError("no such name")

        asyncio.get_running_loop().getaddrinfo = look_up  # type: ignore[method-assign,assignment]
        tool = replace(BEDS, url=f"http://{NAME}/find")
        return await found([replace(AGENT, tools=(tool,))])

    with pytest.raises(ToolFailed):
        asyncio.run(asked(asyncio.run(resolved())))


async def asked(servers: Servers) -> Words:
    return await servers(replace(BEDS, url=f"http://{NAME}/find"), ARGUMENTS, "k3y")


@pytest.mark.parametrize(
    ("before", "now", "reached"),
    [
        ("93.184.215.14", "10.0.0.1", "93.184.215.14"),
        ("93.184.215.14", "127.0.0.1", "93.184.215.14"),
        ("93.184.215.14", "93.184.215.15", "93.184.215.15"),
        ("10.0.0.1", "10.0.0.2", "10.0.0.2"),
        (None, "10.0.0.2", "10.0.0.2"),
    ],
)
def test_a_name_from_outside_that_moves_within_is_not_believed(
    before: str | None, now: str, reached: str
) -> None:
    """Whoever answers for it could else point a tool at the hospital's own machines."""

    async def reloaded() -> tuple[str, ...]:
        async def look_up(*_asked: object, **_more: object) -> list[object]:
            return [(0, 0, 0, "", (now, 0))]

        asyncio.get_running_loop().getaddrinfo = look_up  # type: ignore[method-assign,assignment]
        tool = replace(BEDS, url=f"http://{NAME}/find")
        known = {NAME: (before,)} if before else {}
        return (await found([replace(AGENT, tools=(tool,))], known)).addresses[NAME]

    assert (reached,) == asyncio.run(reloaded())
