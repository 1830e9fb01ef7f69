"""One attempt to tell somebody over HTTP: what counts as an acknowledgement."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from aiohttp import web

from voiced.call.handoff import post

pytestmark = pytest.mark.unit

NOTICE = {"call": "c", "reason": "red_flag"}


def told(answer: Callable[[web.Request], Awaitable[web.StreamResponse]]) -> tuple[bool, list[Any]]:
    """Whether a server that answers so has acknowledged, and what it was told."""
    bodies: list[Any] = []

    async def handler(request: web.Request) -> web.StreamResponse:
        bodies.append(await request.json())
        return await answer(request)

    async def main() -> bool:
        app = web.Application()
        app.router.add_post("/{tail:.*}", handler)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            host, port = runner.addresses[0][:2]
            return await post(f"http://{host}:{port}/calls", NOTICE)
        finally:
            await runner.cleanup()

    return asyncio.run(main()), bodies


@pytest.mark.parametrize(
    ("status", "acknowledged"), [(200, True), (202, True), (204, True), (404, False), (500, False)]
)
def test_a_success_is_an_acknowledgement(status: int, acknowledged: bool) -> None:
    async def answer(_: web.Request) -> web.StreamResponse:
        return web.Response(status=status)

    assert (acknowledged, [NOTICE]) == told(answer)


def test_a_redirect_is_not_followed_and_is_no_acknowledgement() -> None:
    """Whom the configuration does not name learns nothing."""

    async def answer(request: web.Request) -> web.StreamResponse:
        raise web.HTTPTemporaryRedirect("/elsewhere")

    assert (False, [NOTICE]) == told(answer)


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/", "http://", "http://[::1", "nothing"])
def test_whoever_cannot_be_reached_has_not_acknowledged(url: str) -> None:
    assert not asyncio.run(post(url, NOTICE))
