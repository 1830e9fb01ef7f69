"""WHIP against the running daemon: a plain media client calls, trickles and hangs up."""

import asyncio

import aiohttp
import pytest

from tests.process.conftest import Daemon, Serve
from voiced.testing.caller import Caller

pytestmark = [pytest.mark.process, pytest.mark.timeout(180)]

FRAGMENT = "application/trickle-ice-sdpfrag"


@pytest.fixture(scope="module")
def daemon(serve: Serve) -> Daemon:
    started = serve()
    started.wait_for("daemon.ready")
    return started


def test_a_media_client_is_greeted_and_hangs_up(daemon: Daemon) -> None:
    async def story() -> tuple[float | None, str | None]:
        caller = Caller(daemon.url + "/whip")
        await caller.open()
        try:
            onset = await caller.until_onset(caller.connected_at, 10.0)
        finally:
            await caller.close()
        return onset, daemon.wait_for("call.closed", 10)["reason"]

    onset, reason = asyncio.run(story())

    assert onset is not None
    assert "hangup" == reason


def test_the_verbs_of_a_call_that_is_open(daemon: Daemon) -> None:
    async def story() -> list[int]:
        caller = Caller(daemon.url + "/whip")
        await caller.open()
        place = caller._exchange._location  # type: ignore[attr-defined]
        statuses = []
        async with aiohttp.ClientSession() as http:

            async def ask(method: str, **headers: str) -> None:
                more = {name.replace("_", "-"): value for name, value in headers.items()}
                async with http.request(method, place, headers=more, data="a=b") as response:
                    statuses.append(response.status)

            etag = f'"{place.rsplit("/", 1)[1]}"'
            await ask("PATCH", Content_Type=FRAGMENT, If_Match=etag)
            await ask("PATCH", Content_Type=FRAGMENT)
            await ask("PATCH", Content_Type=FRAGMENT, If_Match="*")
            await ask("DELETE")
            await asyncio.sleep(0.5)
            await ask("DELETE")
        await caller.close()
        return statuses

    assert [204, 428, 422, 200, 404] == asyncio.run(story())
