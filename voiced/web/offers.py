"""An SDP offer over HTTP, as every skin takes it: body checked, desk asked, 201 and Location.

It does not know the skins' paths or events.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

from voiced.call.desk import Desk, Present
from voiced.call.roster import Access
from voiced.errors import Refused
from voiced.ops.values import plain
from voiced.web.door import KEY, PASS, RESUME

SDP = "application/sdp"

OFFER_BYTES = 32 * 1024
"""A browser's offer has 2 to 6 kB; parsing one of a megabyte would stop every call for a minute."""

SESSION = "X-Voiced-Session"
"""Header of an answer: the token for `?resume=`, good for one return to the call."""

BODY_S = 10
"""An offer of a few kB that takes longer only holds a connection open."""


async def answer(request: web.Request, desk: Desk, location: str) -> web.Response:
    """201 with the answer to an offer that is the whole body. Raises Refused."""
    if request.content_type != SDP:
        raise Refused(415, "not-sdp", f"send the offer as {SDP}")
    return await place(request, await text(request, OFFER_BYTES), desk, location)


async def place(
    request: web.Request, offer: str, desk: Desk, location: str, present: Present | None = None
) -> web.Response:
    """201 with the answer; `location` is the path of the calls, to which the name is added.

    With `?resume=` it goes on with the call that the token leads to. Raises Refused.
    """
    token = request.query.get(RESUME)
    if token is None:
        answered = await desk.answer(offer, agent(request), present, access(request))
    else:
        answered = await desk.resume(offer, token, present)
    return web.Response(
        status=201,
        text=answered.sdp,
        content_type=SDP,
        headers={
            "Location": f"{location}/{answered.call}",
            "ETag": etag(answered.call),
            SESSION: answered.token,
        },
    )


def agent(request: web.Request) -> str | None:
    """The agent that a call is for: the pass's, else that of `?agent=`; None: the default."""
    shown = request.get(PASS)
    return shown.agent if shown is not None and shown.agent else request.query.get("agent")


def access(request: web.Request) -> Access:
    """Where a request comes from, and the name of the key or the pass that it showed."""
    shown, key = request.get(PASS), request.get(KEY)
    name = f"pass:{shown.name}" if shown is not None else f"key:{key.name}" if key else "none"
    return Access(plain(request.remote or "unknown"), name)


def etag(call: str) -> str:
    """Names the call's ICE session. A call that goes on over another has the same name: what is
    trickled is not looked at."""
    return f'"{call}"'


@asynccontextmanager
async def in_time() -> AsyncIterator[None]:
    """For the reading of a body. Raises Refused: 408 when it takes too long, 400 when it breaks."""
    try:
        async with asyncio.timeout(BODY_S):
            yield
    except TimeoutError:
        raise Refused(408, "too-slow", f"the body did not arrive within {BODY_S} s") from None
    except (web.RequestPayloadError, ConnectionError):
        raise Refused(400, "broken-body", "the body broke off, or is not coded so") from None


async def text(request: web.Request, most_bytes: int) -> str:
    """The body as text. Raises Refused: too large, too slow, or no text."""
    body = bytearray()
    async with in_time():
        async for chunk in request.content.iter_any():
            body += chunk
            if len(body) > most_bytes:
                raise Refused(413, "too-large", f"this body has at most {most_bytes} bytes")
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(400, "not-sdp", "the offer is not text") from None


def json_object(text: str) -> dict[str, Any]:
    """A body that must be one. Raises Refused (400)."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise Refused(400, "not-json", "the body is not JSON") from None
    if not isinstance(found, dict):
        raise Refused(400, "not-json", "the body is not a JSON object")
    return found
