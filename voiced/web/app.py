"""The HTTP application: the door, limits and problem details around every route.

It does not know what the routes do: they are given to it.
"""

import asyncio
import socket
import ssl
from collections.abc import Iterable

from aiohttp import web
from aiohttp.typedefs import Middleware

from voiced.ops import metrics
from voiced.ops.health import VERSION, Health
from voiced.web import problems
from voiced.web.door import Door

BODY_BYTES = 300 * 1024
"""No body is larger: an offer and a session, and what lies around them."""

SHUTDOWN_S = 2.0

CAREFUL = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
"""What every answer says to a browser that shows it, unless its route says otherwise."""

STRICT = "max-age=31536000"
"""Who has been here by HTTPS comes by HTTPS, for a year."""


def application(
    health: Health,
    door: Door,
    routes: Iterable[web.AbstractRouteDef],
    inner: Iterable[Middleware] = (),
) -> web.Application:
    """The application with the routes of the skins, and those that every daemon has.

    `inner`: what stands between the door and the routes.
    """

    async def healthz(_request: web.Request) -> web.Response:
        return web.json_response({"alive": True})

    async def readyz(_request: web.Request) -> web.Response:
        body = {
            "ready": health.refuses is None,
            "version": VERSION,
            "why_not": health.refuses,
            "alarms": list(health.alarms.values()),
            "left_out": health.left_out,
        }
        return web.json_response(body, status=200 if health.refuses is None else 503)

    async def exposition(_request: web.Request) -> web.Response:
        body = await asyncio.to_thread(metrics.exposition)  # a card's driver may take its time
        return web.Response(body=body, content_type="text/plain", charset="utf-8")

    app = web.Application(
        middlewares=[problems.middleware, door.middleware(), *inner], client_max_size=BODY_BYTES
    )
    app.on_response_prepare.append(_sign)
    app.on_response_prepare.append(door.sign)
    app.router.add_get("/healthz", healthz)
    app.router.add_get("/readyz", readyz)
    app.router.add_get("/metrics", exposition)
    app.router.add_routes(routes)
    return app


async def _sign(request: web.Request, response: web.StreamResponse) -> None:
    response.headers["Server"] = "voiced"  # not which libraries answer, in which versions
    for name, value in CAREFUL.items():
        response.headers.setdefault(name, value)
    if request.secure:
        response.headers["Strict-Transport-Security"] = STRICT


class Site:
    """The listening socket. Main loop only."""

    def __init__(self, runner: web.AppRunner, port: int) -> None:
        self.port = port
        """The port that it listens on; chosen by the system when 0 was asked for."""
        self._runner = runner

    @classmethod
    async def open(
        cls,
        app: web.Application,
        host: str,
        port: int,
        given: socket.socket | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> "Site":
        """Begins to listen: on `given`, where systemd opened it, else on host and port.

        With `tls` it speaks HTTPS, and nothing else. Raises OSError when the address is taken.
        """
        runner = web.AppRunner(
            app, access_log=None, handle_signals=False, shutdown_timeout=SHUTDOWN_S
        )
        await runner.setup()
        try:
            await (
                web.TCPSite(runner, host, port, ssl_context=tls)
                if given is None
                else web.SockSite(runner, given, ssl_context=tls)
            ).start()
        except BaseException:
            await runner.cleanup()
            raise
        return cls(runner, runner.addresses[0][1])

    async def close(self) -> None:
        """Stops listening; requests that run have SHUTDOWN_S."""
        await self._runner.cleanup()
