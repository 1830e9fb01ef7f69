"""pipecat's HTTP shape for its client SDKs: POST an offer as JSON, PATCH trickled candidates.

Candidates are taken and not looked at, as everywhere here: the server learns the caller's address
from the caller. A connection is never renegotiated; who wants another one says `restart_pc`, and
the call goes on over that: its `pc_id` is the call's name and the token for one return.

The messages are in `rtvi`. It does not know what is said in a call.
"""

from typing import Any

from aiohttp import web

from voiced.call.desk import Answered, Desk
from voiced.errors import Refused
from voiced.pipecat.rtvi import Client
from voiced.web import offers

PATH = "/api/offer"
_JOINT = "."


def routes(desk: Desk) -> list[web.RouteDef]:
    """POST and PATCH /api/offer."""

    async def post(request: web.Request) -> web.Response:
        asked = await _object(request)
        offer, before = asked.get("sdp"), asked.get("pc_id")
        if not isinstance(offer, str) or asked.get("type") != "offer":
            raise Refused(400, "not-sdp", "send sdp, and type: offer")
        answered = None
        if isinstance(before, str):
            if not asked.get("restart_pc"):
                raise Refused(422, "no-restart", "a connection is not changed: say restart_pc")
            answered = await _back(desk, offer, before)
        if answered is None:
            agent, access = offers.agent(request), offers.access(request)
            answered = await desk.answer(offer, agent, Client, access)
        name = f"{answered.call}{_JOINT}{answered.token}"
        return web.json_response({"sdp": answered.sdp, "type": "answer", "pc_id": name})

    async def patch(request: web.Request) -> web.Response:
        desk.check(str((await _object(request)).get("pc_id")).partition(_JOINT)[0])
        return web.json_response({"status": "success"})

    return [web.post(PATH, post), web.patch(PATH, patch)]


async def _back(desk: Desk, offer: str, before: str) -> Answered | None:
    """The call goes on over another connection; None: it has ended, or was another node's."""
    try:
        return await desk.resume(offer, before.partition(_JOINT)[2], Client)
    except Refused as refused:
        if refused.status in (401, 404):
            return None
        raise


async def _object(request: web.Request) -> dict[str, Any]:
    return offers.json_object(await offers.text(request, offers.OFFER_BYTES))
