"""OpenAI Realtime's HTTP shape: POST an offer or open a WebSocket, hang up, get a client token.

The events are in `client`. It does not know what is said in a call.
"""

from functools import partial

from aiohttp import web

from voiced.audit.model import NOWHERE, Audit
from voiced.call.desk import Desk
from voiced.realtime import client_secrets, forms
from voiced.realtime import upgrade as sockets
from voiced.realtime.client import Client
from voiced.realtime.client_secrets import ClientSecrets
from voiced.web import offers
from voiced.web.door import AGENTS, SOCKET
from voiced.web.passes import Passes

PATH = "/v1/realtime/calls"
_SDP_FORM = f"{offers.SDP}, {forms.FORM}"


def routes(desk: Desk, passes: Passes, audit: Audit = NOWHERE) -> list[web.RouteDef]:
    """GET /v1/models and /v1/realtime; POST .../calls, .../{id}/hangup, .../client_secrets."""
    forms.hush()

    async def post(request: web.Request) -> web.Response:
        form = await forms.read(request)
        present = partial(Client, asked=form.session)
        return await offers.place(request, form.sdp, desk, PATH, present)

    async def hang_up(request: web.Request) -> web.Response:
        desk.hang_up(request.match_info["call"])
        return web.Response(status=200)

    async def options(_request: web.Request) -> web.Response:
        return web.Response(
            status=204, headers={"Allow": "OPTIONS, POST", "Accept-Post": _SDP_FORM}
        )

    async def agents(request: web.Request) -> web.Response:
        """As OpenAI lists models; the one that answers who names none comes first."""
        only = offers.agent(request)
        found = [name for name in desk.agents if only in (None, name)]
        data = [{"id": name, "object": "model", "created": 0, "owned_by": "site"} for name in found]
        return web.json_response({"object": "list", "data": data})

    async def upgrade(request: web.Request) -> web.WebSocketResponse:
        return await sockets.answer(request, desk)

    return [
        web.get(SOCKET, upgrade),
        web.get(AGENTS, agents),
        web.post(PATH, post),
        web.options(PATH, options),
        web.post(PATH + "/{call}/hangup", hang_up),
        web.post(client_secrets.PATH, ClientSecrets(desk, passes, audit).issue),
    ]
