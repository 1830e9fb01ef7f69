"""Other nodes of the site: who has room for a caller whom this one cannot take.

    every node ── GET /room, with a key ──> each of its sisters
    full here ──> 307 to the sister with most room, once: who was sent on is not sent on again

The list is the site's and does not change. A sister that has not answered of late has no room. It
does not know calls.
"""

import asyncio
import json
from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

import aiohttp
from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from voiced import clock
from voiced.config.secret import first_line
from voiced.config.settings import Fleet
from voiced.errors import ConfigError, Refused
from voiced.ops import log, metrics
from voiced.web.door import CALLING

ROOM = "/room"
MOVED = "moved"
"""In the query of an offer that another node has sent on."""

INTERVAL_S = 3.0
_ANSWER_S = 2.0
_FRESH_S = 3 * INTERVAL_S
_LARGEST = 4096
_ELSEWHERE = frozenset({"full", "strained", "draining", "starting"})
"""Why an offer is refused that a sister may take."""


class Sisters:
    """Main loop only."""

    def __init__(self, fleet: Fleet, now: Callable[[], float] = clock.now) -> None:
        """Raises ConfigError for an address that is none, or without a key."""
        for sister in fleet.sisters:
            parts = urlsplit(sister)
            if parts.scheme not in ("http", "https") or not parts.hostname or parts.path:
                raise ConfigError(f"fleet.sisters: {sister!r}: write https://HOST:PORT, or no port")
        if fleet.sisters and fleet.key_file is None:
            raise ConfigError("fleet.key_file: write it too: sisters are asked with a key")
        self._key = first_line(fleet.key_file, "fleet.key_file") if fleet.key_file else ""
        self._sisters = fleet.sisters
        self._now = now
        self._rooms: dict[str, tuple[int, float]] = {}
        """How many callers each would take, and when it said so."""

    async def watch(self) -> None:
        """Asks every sister again and again, until it is cancelled."""
        headers = {"Authorization": f"Bearer {self._key}"}
        timeout = aiohttp.ClientTimeout(total=_ANSWER_S)
        async with aiohttp.ClientSession(headers=headers, timeout=timeout, trust_env=False) as http:
            while self._sisters:
                await asyncio.gather(*(self._ask(http, sister) for sister in self._sisters))
                await asyncio.sleep(INTERVAL_S)

    def middleware(self) -> Middleware:
        """For the application, inside the door."""

        @web.middleware
        async def send_on(request: web.Request, handler: Handler) -> web.StreamResponse:
            try:
                return await handler(request)
            except Refused as refused:
                sister = self._free() if _movable(request, refused) else None
                if sister is None:
                    raise
                metrics.OFFERS_REFUSED.labels("moved").inc()
                raise web.HTTPTemporaryRedirect(
                    sister + str(request.rel_url.update_query({MOVED: "1"}))
                ) from None

        return send_on

    def _free(self) -> str | None:
        """The sister with most room, of which one is then taken until it is asked again."""
        fresh = self._now() - _FRESH_S
        rooms = {one: room for one, (room, at) in self._rooms.items() if at >= fresh and room > 0}
        if not rooms:
            return None
        best = max(rooms, key=lambda one: rooms[one])
        self._rooms[best] = rooms[best] - 1, self._rooms[best][1]
        return best

    async def _ask(self, http: aiohttp.ClientSession, sister: str) -> None:
        try:
            async with http.get(sister + ROOM, allow_redirects=False) as told:
                body = await told.content.read(_LARGEST)
                room = _room(body) if told.status == 200 else None
        except (aiohttp.ClientError, OSError, TimeoutError):
            room = None
        known = sister in self._rooms
        if room is None:
            if known:
                log.warning("sister.lost", sister=urlsplit(sister).hostname or "")
            self._rooms.pop(sister, None)
        else:
            if not known:
                log.info("sister.found", sister=urlsplit(sister).hostname or "")
            self._rooms[sister] = room, self._now()


def routes(room: Callable[[], int]) -> Sequence[web.RouteDef]:
    """GET /room: how many more callers this node would take."""

    async def answer(_request: web.Request) -> web.Response:
        return web.json_response({"room": room()})

    return [web.get(ROOM, answer)]


def _movable(request: web.Request, refused: Refused) -> bool:
    return (
        refused.status == 503
        and refused.kind in _ELSEWHERE
        and request.method == "POST"
        and request.path in CALLING
        and MOVED not in request.query
    )


def _room(body: bytes) -> int | None:
    try:
        told = json.loads(body)
    except ValueError:
        return None
    room = told.get("room") if isinstance(told, dict) else None
    return room if type(room) is int else None
