"""What comes with an offer: raw SDP, or a form of `sdp` and `session`. Pure.

It does not know what a session may ask for.
"""

import json
import warnings
from dataclasses import dataclass
from typing import Any

from aiohttp import (
    BadContentDispositionHeader,
    BadContentDispositionParam,
    BodyPartReader,
    web,
)
from aiohttp.http_exceptions import BadHttpMessage

from voiced.errors import Refused
from voiced.web import offers

SESSION_BYTES = 256 * 1024
FORM = "multipart/form-data"
_LIMITS = {"sdp": offers.OFFER_BYTES, "session": SESSION_BYTES}


@dataclass(frozen=True, slots=True)
class Form:
    """An offer, and the session that its program would like."""

    sdp: str
    session: dict[str, Any]


def hush() -> None:
    """aiohttp warns of a broken form with the text of it, which belongs into no log."""
    for kind in (BadContentDispositionHeader, BadContentDispositionParam):
        warnings.simplefilter("ignore", kind)


async def read(request: web.Request) -> Form:
    """Raises Refused: 400, 408, 413, 415."""
    if request.content_type == offers.SDP:
        return Form(await offers.text(request, offers.OFFER_BYTES), {})
    if request.content_type != FORM:
        raise Refused(415, "not-sdp", f"send the offer as {offers.SDP}, or a form of sdp, session")
    parts: dict[str, str] = {}
    async with offers.in_time():
        try:
            async for part in await request.multipart():
                name = part.name if isinstance(part, BodyPartReader) else None
                if name not in _LIMITS or name in parts or not isinstance(part, BodyPartReader):
                    raise Refused(400, "wrong-form", "the form has one sdp, and may have a session")
                parts[name] = await _text(part, name)
        except (ValueError, BadHttpMessage):
            raise Refused(400, "wrong-form", "the form cannot be read") from None
    if "sdp" not in parts:
        raise Refused(400, "wrong-form", "the form has no sdp")
    return Form(parts["sdp"], session(parts.get("session", "{}")))


async def _text(part: BodyPartReader, name: str) -> str:
    body = bytearray()
    while chunk := await part.read_chunk():
        body += chunk
        if len(body) > _LIMITS[name]:
            raise Refused(413, "too-large", f"{name} has at most {_LIMITS[name]} bytes")
    return body.decode("utf-8")  # what is none is a ValueError


def session(text: str) -> dict[str, Any]:
    """A session object. Raises Refused (400) for what is none, or one of another kind."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise Refused(400, "not-json", "the session is not JSON") from None
    if not isinstance(found, dict) or found.get("type", "realtime") != "realtime":
        raise Refused(400, "wrong-session", 'the session is an object of type "realtime"')
    return found
