"""What the operator's page asks, with a key that has the right to attend.

    GET  /attend/state                how it is: calls, slots, memory, legs, hand-offs that wait
    POST /attend/CALL/acknowledge     somebody has taken over a call
    POST /attend/drain, /attend/resume

And with a key that has the right to join:

    POST /join/CALL      an offer: whoever sends it speaks with the caller; 201 with the answer
    DELETE /join/CALL    they have gone

No word of a caller is in any answer: only that there is a call, since when, and which key brought
it. It does not know the page.
"""

from dataclasses import asdict

from aiohttp import web

from voiced.audit.entries import AdminActed
from voiced.audit.model import NOWHERE, Audit
from voiced.call.desk import Desk
from voiced.clock import now
from voiced.control.gate import Gate
from voiced.errors import Refused
from voiced.ops import host, log, recent
from voiced.ops.health import VERSION, Health
from voiced.web import offers
from voiced.web.door import ATTENDED, JOINED, may_join


class Attend:
    """The page's verbs. Main loop only."""

    def __init__(self, health: Health, desk: Desk, audit: Audit = NOWHERE) -> None:
        self._health = health
        self._desk = desk
        self._audit = audit
        self._gate = Gate(health, desk)
        self._since = now()

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get(ATTENDED + "/state", self.state),
            web.post(ATTENDED + "/drain", self.drain),
            web.post(ATTENDED + "/resume", self.resume),
            web.post(ATTENDED + "/{call}/acknowledge", self.acknowledge),
            web.post(JOINED + "/{call}", self.join),
            web.delete(JOINED + "/{call}", self.part),
        ]

    async def state(self, request: web.Request) -> web.Response:
        at = now()
        live = [
            {"call": one.call, "agent": one.agent, "language": one.language,
             "from": one.access.key, "seconds": round(at - one.began_at),
             "handed_off": one.handed_off, "joined": one.joined}
            for one in self._desk.live
        ]  # fmt: skip
        return web.json_response(
            {
                "version": VERSION,
                "ready": self._health.refuses is None,
                "why_not": self._health.refuses,
                "alarms": list(self._health.alarms.values()),
                "left_out": list(self._health.left_out),
                "uptime_s": round(at - self._since),
                "calls": live,
                "slots": {"taken": self._desk.calls, "most": self._desk.most},
                "memory": {"used_mb": host.used_mb(), "free_mb": host.free_mb()},
                "budget": self._desk.budget,
                "legs": {name: asdict(one) for name, one in recent.LEGS.spreads().items()},
                "may_join": may_join(request),
                "waiting": [dict(notice) for notice in self._desk.waiting()],
            }
        )

    async def acknowledge(self, request: web.Request) -> web.Response:
        call = request.match_info["call"]
        self._desk.acknowledge(call)
        self._acted(request, "handoff.acknowledged", call)
        return await self.state(request)

    async def join(self, request: web.Request) -> web.Response:
        if request.content_type != offers.SDP:
            raise Refused(415, "not-sdp", f"send the offer as {offers.SDP}")
        extension = self._desk.extension(request.match_info["call"])
        offer = await offers.text(request, offers.OFFER_BYTES)
        answer = await extension.answer(offer, offers.access(request).key)
        headers = {"Location": request.path}
        return web.Response(status=201, text=answer, content_type=offers.SDP, headers=headers)

    async def part(self, request: web.Request) -> web.Response:
        await self._desk.extension(request.match_info["call"]).hang_up()
        return web.Response(status=200)

    async def drain(self, request: web.Request) -> web.Response:
        if self._gate.shut():
            self._acted(request, "drain")
        return await self.state(request)

    async def resume(self, request: web.Request) -> web.Response:
        if self._gate.reopen():
            self._acted(request, "drain.undo")
        return await self.state(request)

    def _acted(self, request: web.Request, action: str, target: str = "") -> None:
        actor = offers.access(request).key
        log.info("attend.acted", action=action, target=target, by=actor)
        self._audit.note(AdminActed(actor, action, target))
