"""An SDP offer over HTTP, as every skin takes it: body checked, desk asked, 201 and Location.

It does not know the skins' paths or events.
"""

import asyncio

from aiohttp import web

from voiced.call.desk import Desk
from voiced.errors import Refused

SDP = "application/sdp"

BODY_S = 10
"""An offer of a few kB that takes longer only holds a connection open."""


async def answer(request: web.Request, desk: Desk, location: str) -> web.Response:
    """201 with the SDP answer; `location` is the path of the calls, to which the name is added.

    `?agent=` names the agent. Raises Refused.
    """
    if request.content_type != SDP:
        raise Refused(415, "not-sdp", f"send the offer as {SDP}")
    try:
        async with asyncio.timeout(BODY_S):
            offer = (await request.read()).decode("utf-8")
    except TimeoutError:
        raise Refused(408, "too-slow", f"the offer did not arrive within {BODY_S} s") from None
    except UnicodeDecodeError:
        raise Refused(400, "not-sdp", "the offer is not text") from None
    answered = await desk.answer(offer, request.query.get("agent"))
    return web.Response(
        status=201,
        text=answered.sdp,
        content_type=SDP,
        headers={"Location": f"{location}/{answered.call}"},
    )
