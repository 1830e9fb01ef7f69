"""WHIP's HTTP shape (RFC 9725) for plain media clients: POST an offer, DELETE the call.

The answer is `sendrecv`, where WHIP proper only takes media in.
"""

from aiohttp import web

from voiced.call.desk import Desk
from voiced.web import offers

PATH = "/whip"


def routes(desk: Desk) -> list[web.RouteDef]:
    """POST /whip, and DELETE on the Location that it gives."""

    async def post(request: web.Request) -> web.Response:
        return await offers.answer(request, desk, PATH)

    async def delete(request: web.Request) -> web.Response:
        desk.hang_up(request.match_info["call"])
        return web.Response(status=200)

    return [web.post(PATH, post), web.delete(PATH + "/{call}", delete)]
