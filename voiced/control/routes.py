"""What an operator may ask of the running daemon.

    GET  /status                how it is
    POST /drain?wait_s=30       no new calls; answers once the last one has ended, or after the wait
    POST /resume                takes calls again
    POST /calls/NAME/hangup     ends one call

Who asks is known by the kernel (SO_PEERCRED) and logged by number. It does not know who may ask:
that is the mode of the socket's file (`server`).
"""

import asyncio
import struct
from collections.abc import Callable, Mapping
from socket import SO_PEERCRED, SOL_SOCKET

from aiohttp import web

from voiced.audit.entries import AdminActed
from voiced.audit.model import NOWHERE, Audit
from voiced.call.desk import Desk
from voiced.clock import now
from voiced.control.gate import Gate
from voiced.errors import Refused
from voiced.ops import log
from voiced.ops.health import VERSION, Health

_LONGEST_WAIT_S = 86_400.0
_CREDENTIALS = struct.Struct("3i")
"""struct ucred: process, user, group."""


class Control:
    """The verbs. Main loop only."""

    def __init__(
        self,
        health: Health,
        desk: Desk,
        ports: Mapping[str, int],
        days_left: Callable[[], float | None] = lambda: None,
        audit: Audit = NOWHERE,
    ) -> None:
        """`ports`: by name, as they are shown. `days_left`: until HTTPS needs a new certificate."""
        self._days_left = days_left
        self._audit = audit
        self._health = health
        self._desk = desk
        self._gate = Gate(health, desk)
        self._ports = ports
        self._since = now()

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/status", self.status),
            web.post("/drain", self.drain),
            web.post("/resume", self.resume),
            web.post("/calls/{call}/hangup", self.hangup),
        ]

    async def status(self, _request: web.Request) -> web.Response:
        return web.json_response(self._shown())

    async def drain(self, request: web.Request) -> web.Response:
        wait_s = _wait_s(request)
        if self._gate.shut():
            log.info("drain.asked", calls=self._desk.calls, uid=_uid(request))
            self._acted(request, "drain")
        try:
            async with asyncio.timeout(wait_s):
                await self._desk.empty()
        except TimeoutError:
            pass  # the answer says how many are left
        return web.json_response(self._shown())

    async def resume(self, request: web.Request) -> web.Response:
        if self._gate.reopen():
            log.info("drain.undone", uid=_uid(request))
            self._acted(request, "drain.undo")
        return web.json_response(self._shown())

    async def hangup(self, request: web.Request) -> web.Response:
        call = request.match_info["call"]
        self._desk.hang_up(call)
        log.info("hangup.asked", call=call, uid=_uid(request))
        self._acted(request, "hangup", call)
        return web.json_response(self._shown())

    def _acted(self, request: web.Request, action: str, target: str = "") -> None:
        self._audit.note(AdminActed(f"uid:{_uid(request)}", action, target))

    def _shown(self) -> dict[str, object]:
        return {
            "ready": self._health.ready,
            "why_not": self._health.why_not,
            "alarms": list(self._health.alarms.values()),
            "left_out": self._health.left_out,
            "version": VERSION,
            "calls": self._desk.calls,
            "calls_max": self._desk.most,
            "agents": self._desk.agents,
            "uptime_s": round(now() - self._since, 1),
            "certificate_days_left": None if (days := self._days_left()) is None else round(days),
            **self._ports,
        }


def _wait_s(request: web.Request) -> float:
    """Raises Refused."""
    try:
        wait_s = float(request.query.get("wait_s", "0"))
    except ValueError:
        wait_s = -1.0
    if not 0.0 <= wait_s <= _LONGEST_WAIT_S:
        raise Refused(400, "bad-wait", f"wait_s is between 0 and {_LONGEST_WAIT_S:.0f}")
    return wait_s


def _uid(request: web.Request) -> int:
    """Who is at the other end of the socket."""
    assert request.transport is not None
    peer = request.transport.get_extra_info("socket")
    _pid, uid, _gid = _CREDENTIALS.unpack(
        peer.getsockopt(SOL_SOCKET, SO_PEERCRED, _CREDENTIALS.size)
    )
    return int(uid)
