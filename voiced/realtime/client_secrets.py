"""POST /v1/realtime/client_secrets: a short-lived client token, for one agent or for any.

It does not know how tokens are signed, or what a session may be.
"""

import json
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from voiced.audit.entries import PassIssued
from voiced.audit.model import Audit
from voiced.call.desk import Desk
from voiced.errors import Refused
from voiced.realtime import forms
from voiced.web import offers
from voiced.web.passes import LONGEST_S, SHORTEST_S, USUAL_S, Passes

PATH = "/v1/realtime/client_secrets"


@dataclass(frozen=True, slots=True)
class Wish:
    """What a program wants of its token."""

    agent: str | None
    """None: whichever the caller names."""
    seconds: int
    session: dict[str, Any]


class ClientSecrets:
    """Main loop only."""

    def __init__(self, desk: Desk, passes: Passes, audit: Audit) -> None:
        self._desk = desk
        self._passes = passes
        self._audit = audit

    async def issue(self, request: web.Request) -> web.Response:
        """Raises Refused."""
        wish = await _wish(request)
        self._desk.check_agent(wish.agent)
        token, issued = self._passes.issue(wish.agent, wish.seconds)
        by = offers.access(request)
        name = f"pass:{issued.name}"
        self._audit.note(PassIssued(by.key, by.origin, name, wish.agent, wish.seconds))
        body = {
            "value": token,
            "expires_at": issued.expires_at,
            "session": {**wish.session, "type": "realtime", "object": "realtime.session"},
        }
        return web.json_response(body, headers={"Cache-Control": "no-store"})


async def _wish(request: web.Request) -> Wish:
    """Raises Refused: 400, 408, 413."""
    text = await offers.text(request, forms.SESSION_BYTES)
    asked = offers.json_object(text or "{}")
    session = forms.session(json.dumps(asked.get("session") or {}))
    agent = request.query.get("agent") or asked.get("agent")
    if agent is not None and not isinstance(agent, str):
        raise Refused(400, "wrong-agent", "agent is the name of an agent")
    return Wish(agent, _seconds(asked.get("expires_after")), session)


def _seconds(asked: object) -> int:
    """How long the token is to live. Raises Refused (400)."""
    if asked is None:
        return USUAL_S
    seconds: object = asked.get("seconds", USUAL_S) if isinstance(asked, dict) else None
    if type(seconds) is not int or not SHORTEST_S <= seconds <= LONGEST_S:
        told = f"expires_after.seconds is from {SHORTEST_S} to {LONGEST_S}"
        raise Refused(400, "wrong-expiry", told)
    return seconds
