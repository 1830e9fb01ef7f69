"""WHIP's HTTP shape (RFC 9725) for plain media clients: POST an offer, DELETE the call.

The answer is `sendrecv`, where WHIP proper only takes media in. The server's one candidate is in
the answer, and it learns the caller's address from the caller's own checks: so candidates that are
trickled are taken and not looked at. ICE is never restarted; who has lost the line calls anew.

It does not know what is said in a call.
"""

from aiohttp import web

from voiced.call.desk import Desk
from voiced.errors import Refused
from voiced.web import offers

PATH = "/whip"
FRAGMENT = "application/trickle-ice-sdpfrag"


def routes(desk: Desk) -> list[web.RouteDef]:
    """POST /whip; PATCH and DELETE on the Location that it gives; OPTIONS and GET on both."""

    async def post(request: web.Request) -> web.Response:
        return await offers.answer(request, desk, PATH)

    async def patch(request: web.Request) -> web.Response:
        call = request.match_info["call"]
        desk.check(call)
        _matching(request, call)
        await offers.text(request, offers.OFFER_BYTES)
        return web.Response(status=204)

    async def delete(request: web.Request) -> web.Response:
        desk.hang_up(request.match_info["call"])
        return web.Response(status=200)

    async def nothing(request: web.Request) -> web.Response:
        if "call" in request.match_info:
            desk.check(request.match_info["call"])
        return web.Response(status=204, headers=_abilities(request))

    place = PATH + "/{call}"
    return [
        web.post(PATH, post),
        web.patch(place, patch),
        web.delete(place, delete),
        *(web.options(path, nothing) for path in (PATH, place)),
        *(web.get(path, nothing) for path in (PATH, place)),
    ]


def _matching(request: web.Request, call: str) -> None:
    """Raises Refused unless a PATCH is a trickle for the call's one ICE session."""
    if request.content_type != FRAGMENT:
        raise Refused(415, "not-a-fragment", f"send candidates as {FRAGMENT}")
    match request.headers.get("If-Match"):
        case None:
            raise Refused(428, "no-etag", "send the call's ETag as If-Match")
        case "*":
            raise Refused(422, "no-restart", "ICE is not restarted here: POST a new offer")
        case other if other != offers.etag(call):
            raise Refused(412, "stale-etag", "If-Match is not the ETag of this call")


def _abilities(request: web.Request) -> dict[str, str]:
    if "call" in request.match_info:
        return {"Allow": "DELETE, GET, HEAD, OPTIONS, PATCH", "Accept-Patch": FRAGMENT}
    return {"Allow": "GET, HEAD, OPTIONS, POST", "Accept-Post": offers.SDP}
