"""GET /v1/realtime: a call over a WebSocket, with sound in its events.

Everything that can be refused is refused before the upgrade, as a problem over HTTP. It does not
know the events.
"""

import socket
from collections.abc import Callable

from aiohttp import web

from voiced.call.call import Call
from voiced.call.desk import Desk, Wiring
from voiced.call.parts import FarEnd, Source
from voiced.errors import Refused
from voiced.realtime.client import Client
from voiced.realtime.intake import Intake
from voiced.realtime.socket import LARGEST, SocketPeer
from voiced.web import offers

PROTOCOL = "realtime"

_SEND_BUFFER_BYTES = 64 * 1024
"""What the system holds for a program that does not read counts as heard: a second at most."""

_CLOSE_S = 1.0


async def answer(request: web.Request, desk: Desk) -> web.WebSocketResponse:
    """Holds the call, from the upgrade to its end. Raises Refused."""
    wire = web.WebSocketResponse(
        protocols=(PROTOCOL,),
        autoping=False,
        max_msg_size=LARGEST,
        compress=False,
        timeout=_CLOSE_S,
    )
    if not wire.can_prepare(request).ok:
        raise Refused(426, "no-websocket", "open a WebSocket here, or POST an offer to .../calls")
    if "call_id" in request.query:
        raise Refused(400, "no-sideband", "a call has one channel: call_id is not taken here")
    peer: SocketPeer

    async def connect(wiring: Wiring) -> tuple[Source, FarEnd]:
        nonlocal peer
        await wire.prepare(request)
        _bound(request)
        intake = Intake()
        wiring.opened.callback(intake.close)
        peer = SocketPeer(wire, intake, wiring.playout, wiring.told)
        wiring.opened.push_async_callback(peer.close)
        return intake, peer

    def present(send: Callable[[str], None], call: Call) -> Client:
        client = Client(send, call, sound=peer.intake)
        peer.sounded = client.sounded
        return client

    access = offers.access(request)
    call = await desk.connect(connect, offers.agent(request), present, access)
    await peer.serve(call.received)
    return wire


def _bound(request: web.Request) -> None:
    """Bounds what is sent and not read."""
    connection = request.get_extra_info("socket")
    if connection is not None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER_BYTES)
