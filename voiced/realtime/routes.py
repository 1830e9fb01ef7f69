"""OpenAI Realtime's HTTP shape: POST an offer or open a WebSocket, hang up, get a client token.

The events are in `client`. It does not know what is said in a call.
"""

import json
from functools import partial
from typing import Any

from aiohttp import web

from voiced.audit.entries import PassIssued
from voiced.audit.model import NOWHERE, Audit
from voiced.call.desk import Desk
from voiced.errors import Refused
from voiced.realtime import forms
from voiced.realtime import upgrade as sockets
from voiced.realtime.client import Client
from voiced.web import offers
from voiced.web.door import AGENTS, SOCKET
from voiced.web.passes import LONGEST_S, SHORTEST_S, USUAL_S, Passes

PATH = "/v1/realtime/calls"
SECRETS = "/v1/realtime/client_secrets"
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

    async def secret(request: web.Request) -> web.Response:
        text = await offers.text(request, forms.SESSION_BYTES)
        asked = _object(text or "{}")
        session = forms.session(json.dumps(asked.get("session") or {}))
        agent = request.query.get("agent") or asked.get("agent")
        if agent is not None and not isinstance(agent, str):
            raise Refused(400, "wrong-agent", "agent is the name of an agent")
        desk.check_agent(agent)
        seconds = _seconds(asked.get("expires_after"))
        token, issued = passes.issue(agent, seconds)
        by = offers.access(request)
        audit.note(PassIssued(by.key, by.origin, f"pass:{issued.name}", agent, seconds))
        body = {
            "value": token,
            "expires_at": issued.expires_at,
            "session": {**session, "type": "realtime", "object": "realtime.session"},
        }
        return web.json_response(body, headers={"Cache-Control": "no-store"})

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
        web.post(SECRETS, secret),
    ]


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise Refused(400, "not-json", "the body is not JSON") from None
    if not isinstance(found, dict):
        raise Refused(400, "not-json", "the body is not a JSON object")
    return found


def _seconds(asked: object) -> int:
    """How long the token is to live. Raises Refused (400)."""
    if asked is None:
        return USUAL_S
    seconds: object = asked.get("seconds", USUAL_S) if isinstance(asked, dict) else None
    if type(seconds) is not int or not SHORTEST_S <= seconds <= LONGEST_S:
        told = f"expires_after.seconds is from {SHORTEST_S} to {LONGEST_S}"
        raise Refused(400, "wrong-expiry", told)
    return seconds
