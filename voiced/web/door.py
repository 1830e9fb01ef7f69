"""Who comes in: the key and the pass, pages of other origins, and how often.

    healthz, readyz, the console's own files     anybody
    placing and ending calls                     a key with the right to call or operate, or a pass
    going on with a call                         the call's own token
    the metrics, how much room there is          a key with the right to watch or operate
    the operator's page                          a key with the right to attend, join or operate
    speaking with a caller there                 a key with the right to join or operate
    everything else                              a key with the right to operate

A browser's page of another origin is refused unless the site names it, so that no page on the web
can place calls from within the building. It does not know what lies behind the door.
"""

import math
from collections.abc import Callable
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from voiced import clock
from voiced.config.settings import Http
from voiced.errors import Refused
from voiced.ops.household import household
from voiced.web.keys import Key, Keys, Right
from voiced.web.limits import Rate
from voiced.web.passes import PREFIX, Pass, Passes

PASS = web.RequestKey("pass", Pass)
"""The pass that a request showed, where it showed one."""

KEY = web.RequestKey("key", Key)
"""The key that a request showed, where one is needed."""

RESUME = "resume"
"""In the query of an offer: the token of a call that goes on."""

CALLING = ("/v1/realtime/calls", "/whip", "/api/offer")
"""Paths that a pass opens, and all below them."""

SOCKET = "/v1/realtime"
"""The same, and nothing below it."""

AGENTS = "/v1/models"
"""Who can be called; a pass opens this too."""

ATTENDED = "/attend"
"""What the operator's page asks."""

JOINED = "/join"
"""Where it joins a call."""

_OPENED = {
    Right.CALL: (*CALLING, "/v1/realtime/client_secrets", AGENTS),
    Right.ATTEND: (ATTENDED,),
    Right.JOIN: (ATTENDED, JOINED),
    Right.WATCH: ("/metrics", "/room"),
}
"""Paths that a key with less than every right opens, and all below them."""

_ASKED_OFTEN = frozenset({"/healthz", "/readyz"})
_OPEN = _ASKED_OFTEN | {"/", "/operator"}
_TOKEN = "openai-insecure-api-key."
"""In front of a token among the subprotocols of a WebSocket: OpenAI's name for it."""

_OPEN_BELOW = "/console/"
_EXPOSED = "Location, ETag, Link, Retry-After, Accept-Post, Accept-Patch, X-Voiced-Session"
_ALLOWED = "Authorization, Content-Type, If-Match, X-OpenAI-Agents-SDK"
_PREFLIGHT_S = "600"


class Door:
    """The check of every request. Main loop only."""

    def __init__(
        self,
        keys: Keys | None,
        passes: Passes,
        http: Http | None = None,
        now: Callable[[], float] = clock.now,
    ) -> None:
        """`keys`: None: none is needed. `http`: whose pages may call, and how often anybody may."""
        http = http or Http()
        self._keys = keys
        self._passes = passes
        self._origins = frozenset(http.origins)
        self._addresses = Rate(http.address_per_minute)
        self._holders = Rate(http.key_per_minute)
        self._now = now

    def renew(self, keys: Keys | None) -> None:
        """From now on these keys open it."""
        self._keys = keys

    def middleware(self) -> Middleware:
        """For the application."""

        @web.middleware
        async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
            self._origin(request)
            if request.path not in _ASKED_OFTEN:
                self._count(self._addresses, household(request.remote or ""))
            if "Access-Control-Request-Method" in request.headers and request.method == "OPTIONS":
                return web.Response(status=204, headers=_preflight(request))
            if not _open(request):
                self._count(self._holders, self._holder(request))
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

    def _holder(self, request: web.Request) -> str:
        """Who asks, by the name of the key or the pass. Raises Refused unless he may."""
        shown = _shown(request)
        if shown.startswith(PREFIX):
            if request.path not in (SOCKET, AGENTS) and not _below(request.path, CALLING):
                raise Refused(403, "calls-only", "a client token places and ends calls, no more")
            found = request[PASS] = self._passes.check(shown)
            return f"{PREFIX}{found.name}"
        if self._keys is None:
            return ""
        key = self._keys.find(shown)
        if key is None:
            raise Refused(401, "unauthorized", "show a right key: Authorization: Bearer ...")
        if key.right is not Right.OPERATE and not _may(key.right, request.path):
            raise Refused(
                403, "not-with-this-key", f"this key has the right to {key.right}, no more"
            )
        request[KEY] = key
        return key.name

    def _count(self, rate: Rate, subject: str) -> None:
        wait_s = rate.take(subject, self._now())
        if wait_s:
            told = "too many requests: ask again after Retry-After seconds"
            raise Refused(429, "too-often", told, math.ceil(wait_s))


def may_join(request: web.Request) -> bool:
    """Whether what a request showed lets its sender speak with callers."""
    key = request.get(KEY)
    return key is None or key.right is Right.OPERATE or JOINED in _OPENED[key.right]


def _shown(request: web.Request) -> str:
    """The bearer token that a request shows; empty where it shows none.

    A page that opens a WebSocket can set no header, and shows it among the subprotocols.
    """
    scheme, _, rest = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return rest.strip()
    offered = request.headers.get("Sec-WebSocket-Protocol", "").split(",")
    tokens = [one.strip() for one in offered if one.strip().startswith(_TOKEN)]
    return tokens[0].removeprefix(_TOKEN) if tokens else ""


def _preflight(request: web.Request) -> dict[str, str]:
    return {
        "Access-Control-Allow-Methods": request.headers["Access-Control-Request-Method"],
        "Access-Control-Allow-Headers": _ALLOWED,
        "Access-Control-Max-Age": _PREFLIGHT_S,
    }


def _open(request: web.Request) -> bool:
    if request.path in CALLING and RESUME in request.query:
        return True  # the token of the call is the key to it, and opens nothing else
    return request.path in _OPEN or request.path.startswith(_OPEN_BELOW)


def _may(right: Right, path: str) -> bool:
    """Whether a path is open to a right that is less than every right."""
    return _below(path, _OPENED[right]) or (right is Right.CALL and path == SOCKET)


def _below(path: str, roots: tuple[str, ...]) -> bool:
    return any(path == root or path.startswith(root + "/") for root in roots)
