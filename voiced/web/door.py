"""Who comes in: the token and the pass, and pages of other origins.

    healthz, readyz, the console's own files     anybody
    placing and ending calls                     the site's token, or a pass
    everything else                              the site's token

A browser's page of another origin is refused unless the site names it, so that no page on the web
can place calls from within the building. It does not know what lies behind the door.
"""

from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from voiced.errors import Refused
from voiced.web import access
from voiced.web.passes import PREFIX, Pass, Passes

PASS = web.RequestKey("pass", Pass)
"""The pass that a request showed, where it showed one."""

CALLING = ("/v1/realtime/calls", "/whip")
"""Paths that a pass opens, and all below them."""

_OPEN = frozenset({"/", "/healthz", "/readyz"})
_OPEN_BELOW = "/console/"
_EXPOSED = "Location, ETag, Link, Retry-After, Accept-Post, Accept-Patch"
_ALLOWED = "Authorization, Content-Type, If-Match"
_PREFLIGHT_S = "600"


class Door:
    """The check of every request. Main loop only."""

    def __init__(self, token: bytes | None, passes: Passes, origins: tuple[str, ...] = ()) -> None:
        """`token`: the site's; None: none is needed. `origins`: whose pages may call."""
        self._token = token
        self._passes = passes
        self._origins = frozenset(origins)

    def renew(self, token: bytes | None) -> None:
        """From now on the site's token is this one."""
        self._token = token

    def middleware(self) -> Middleware:
        """For the application."""

        @web.middleware
        async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
            self._origin(request)
            if "Access-Control-Request-Method" in request.headers and request.method == "OPTIONS":
                return web.Response(status=204, headers=_preflight(request))
            if not _open(request.path):
                self._token_of(request)
            return await handler(request)

        return guard

    async def sign(self, request: web.Request, response: web.StreamResponse) -> None:
        """Lets a page of a named origin read the answer."""
        origin = request.headers.get("Origin")
        if origin is not None and origin in self._origins:
            response.headers["Access-Control-Allow-Origin"] = origin
            response.headers["Access-Control-Expose-Headers"] = _EXPOSED
        if self._origins:
            response.headers["Vary"] = "Origin"

    def _origin(self, request: web.Request) -> None:
        origin = request.headers.get("Origin")
        if origin is None or origin in self._origins or urlsplit(origin).netloc == request.host:
            return
        raise Refused(403, "foreign-origin", "pages of this origin may not call here")

    def _token_of(self, request: web.Request) -> None:
        shown = access.shown(request)
        if not shown.startswith(PREFIX):
            access.check(request, self._token)
            return
        if not _calling(request.path):
            raise Refused(403, "calls-only", "a client token places and ends calls, no more")
        request[PASS] = self._passes.check(shown)


def _preflight(request: web.Request) -> dict[str, str]:
    return {
        "Access-Control-Allow-Methods": request.headers["Access-Control-Request-Method"],
        "Access-Control-Allow-Headers": _ALLOWED,
        "Access-Control-Max-Age": _PREFLIGHT_S,
    }


def _open(path: str) -> bool:
    return path in _OPEN or path.startswith(_OPEN_BELOW)


def _calling(path: str) -> bool:
    return any(path == root or path.startswith(root + "/") for root in CALLING)
