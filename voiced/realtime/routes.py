"""OpenAI Realtime's HTTP shape: POST an offer, hang up. The events are in `events`."""

from aiohttp import web

from voiced.call.desk import Desk
from voiced.web import offers

PATH = "/v1/realtime/calls"


def routes(desk: Desk) -> list[web.RouteDef]:
    """POST /v1/realtime/calls, and POST .../{id}/hangup."""

    async def post(request: web.Request) -> web.Response:
        return await offers.answer(request, desk, PATH)

    async def hang_up(request: web.Request) -> web.Response:
        desk.hang_up(request.match_info["call"])
        return web.Response(status=200)

    return [web.post(PATH, post), web.post(PATH + "/{call}/hangup", hang_up)]
