"""A caller whom this node cannot take is sent to one that can, once."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from voiced.config.settings import Fleet
from voiced.errors import ConfigError, Refused
from voiced.ops.health import Health
from voiced.web.app import application
from voiced.web.door import CALLING, Door
from voiced.web.keys import Key, Keys, Right, digested
from voiced.web.passes import Passes
from voiced.web.sisters import Sisters, routes

pytestmark = pytest.mark.unit

FULL = Refused(503, "full", "every line is taken", 30)


@pytest.fixture
def key(tmp_path: Path) -> Path:
    (tmp_path / "key").write_text("vk_sister\n")
    return tmp_path / "key"


class Node:
    """One that says how much room it has; more of them make a site."""

    def __init__(self, room: Any, *, right: Right = Right.WATCH) -> None:
        self.room = room
        keys = Keys([Key(name="sister", sha256=digested("vk_sister"), right=right)])
        door = Door(keys, Passes(bytes(32)))
        self.server = TestServer(application(Health(), door, routes(lambda: self.room)))


def moves(
    key: Path, nodes: list[Node], *paths: str, refused: Refused = FULL, at: float = 0.0
) -> list[tuple[int, str | None]]:
    """Status and Location of an offer to each path, at a node that refuses them all."""

    async def here(_request: web.Request) -> web.Response:
        raise refused

    async def story() -> list[tuple[int, str | None]]:
        for node in nodes:
            await node.server.start_server()
        told = []
        moment = [0.0]
        addresses = tuple(str(node.server.make_url("")) for node in nodes)
        names = {address.rstrip("/"): f"node{i}" for i, address in enumerate(addresses)}
        fleet = Fleet(sisters=tuple(names), key_file=key)
        sisters = Sisters(fleet, now=lambda: moment[0])
        asking = asyncio.ensure_future(sisters.watch())
        while len(sisters._rooms) < len(nodes):  # noqa: ASYNC110 - real sockets
            await asyncio.sleep(0.01)
        asking.cancel()
        moment[0] = at
        app_routes = [web.post(p, here) for p in (*CALLING, "/other")]
        door = Door(None, Passes(bytes(32)))
        app = application(Health(), door, app_routes, [sisters.middleware()])
        async with TestClient(TestServer(app)) as client:
            for path in paths:
                async with client.post(path, allow_redirects=False) as answer:
                    place = answer.headers.get("Location")
                    for address, name in names.items():
                        place = place and place.replace(address, name)
                    told.append((answer.status, place))
        for node in nodes:
            await node.server.close()
        return told

    return asyncio.run(story())


def test_a_caller_goes_to_the_sister_with_most_room_with_everything_that_he_asked(
    key: Path,
) -> None:
    nodes = [Node(1), Node(3)]

    assert [(307, "node1/whip?agent=desk&moved=1")] == moves(key, nodes, "/whip?agent=desk")


@pytest.mark.parametrize("path", CALLING)
def test_whichever_way_a_caller_comes(key: Path, path: str) -> None:
    assert [(307, f"node0{path}?moved=1")] == moves(key, [Node(1)], path)


def test_a_sister_is_not_sent_more_than_it_has_room_for(key: Path) -> None:
    told = moves(key, [Node(1), Node(2)], *["/v1/realtime/calls"] * 4)

    assert [307, 307, 307, 503] == [status for status, _ in told]
    assert ["node0", "node1", "node1"] == sorted(
        str(place).partition("/")[0] for _, place in told[:3]
    )


def test_who_was_sent_here_is_not_sent_on(key: Path) -> None:
    assert [(503, None)] == moves(key, [Node(5)], "/whip?moved=1")


@pytest.mark.parametrize("path", ["/whip?resume=token", "/other"])
def test_only_new_calls_are_sent_on(key: Path, path: str) -> None:
    refused = FULL if path == "/other" else Refused(401, "no-return", "it leads to no call")

    assert None is moves(key, [Node(5)], path, refused=refused)[0][1]


@pytest.mark.parametrize(
    "refused", [Refused(400, "not-sdp", "x"), Refused(503, "closing", "x"), Refused(429, "x", "x")]
)
def test_what_a_sister_would_refuse_as_well_is_refused_here(key: Path, refused: Refused) -> None:
    assert [(refused.status, None)] == moves(key, [Node(5)], "/whip", refused=refused)


def test_a_sister_that_has_not_answered_of_late_has_no_room(key: Path) -> None:
    assert [(503, None)] == moves(key, [Node(5)], "/whip", at=60.0)


def test_without_sisters_nothing_is_asked_and_nobody_sent(key: Path) -> None:
    assert [(503, None)] == moves(key, [], "/whip")


@pytest.mark.parametrize("room", [-1, 0])
def test_a_sister_without_room_gets_nobody(key: Path, room: int) -> None:
    assert [(503, None)] == moves(key, [Node(room)], "/whip")


@pytest.mark.parametrize(
    ("fleet", "said"),
    [
        (Fleet(sisters=("voice2",), key_file=Path("k")), "'voice2': write https"),
        (Fleet(sisters=("https://voice2/whip",), key_file=Path("k")), "write https"),
        (Fleet(sisters=("https://voice2",)), "key_file: write it too"),
        (Fleet(sisters=("https://voice2",), key_file=Path("/none")), "/none"),
    ],
)
def test_a_fleet_that_is_wrong_is_told(fleet: Fleet, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        Sisters(fleet)
