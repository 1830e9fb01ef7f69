"""The HTTP application: access, limits and problem details around every route.

It does not know what the routes do: they are given to it.
"""

from collections.abc import Iterable

from aiohttp import web
from aiohttp.typedefs import Handler

from voiced.ops import metrics
from voiced.ops.health import VERSION, Health
from voiced.web import access, problems

OFFER_BYTES = 32 * 1024
"""A browser's offer has 2 to 6 kB; parsing one of a megabyte would stop every call for a minute."""

SHUTDOWN_S = 2.0


def application(
    health: Health, token: bytes | None, routes: Iterable[web.RouteDef]
) -> web.Application:
    """The application with the routes of the skins, and those that every daemon has."""

    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.path not in _OPEN:
            access.check(request, token)
        return await handler(request)

    async def healthz(_request: web.Request) -> web.Response:
        return web.json_response({"alive": True})

    async def readyz(_request: web.Request) -> web.Response:
        body = {"ready": health.ready, "version": VERSION, "why_not": health.why_not}
        return web.json_response(body, status=200 if health.ready else 503)

    async def exposition(_request: web.Request) -> web.Response:
        body = metrics.exposition()
        return web.Response(body=body, content_type="text/plain", charset="utf-8")

    app = web.Application(middlewares=[problems.middleware, guard], client_max_size=OFFER_BYTES)
    app.on_response_prepare.append(_sign)
    app.router.add_get("/healthz", healthz)
    app.router.add_get("/readyz", readyz)
    app.router.add_get("/metrics", exposition)
    app.router.add_routes(routes)
    return app


_OPEN = frozenset({"/healthz", "/readyz"})
"""Paths that tell nothing of calls, and that a load balancer may ask without a token."""


async def _sign(_request: web.Request, response: web.StreamResponse) -> None:
    response.headers["Server"] = "voiced"  # not which libraries answer, in which versions


class Site:
    """The listening socket. Main loop only."""

    def __init__(self, runner: web.AppRunner, port: int) -> None:
        self.port = port
        """The port that it listens on; chosen by the system when 0 was asked for."""
        self._runner = runner

    @classmethod
    async def open(cls, app: web.Application, host: str, port: int) -> "Site":
        """Begins to listen. Raises OSError when the address is taken."""
        runner = web.AppRunner(
            app, access_log=None, handle_signals=False, shutdown_timeout=SHUTDOWN_S
        )
        await runner.setup()
        try:
            await web.TCPSite(runner, host, port).start()
        except BaseException:
            await runner.cleanup()
            raise
        return cls(runner, runner.addresses[0][1])

    async def close(self) -> None:
        """Stops listening; requests that run have SHUTDOWN_S."""
        await self._runner.cleanup()
