"""The one module that touches private parts of aiortc and aioice.

    aiortc 1.16   RTCIceGatherer._connection, RTCRtpReceiver's jitter buffer and decoder's queue,
                  SCTP_RTO_MIN, RTCSctpTransport._inbound_streams, RTCRtpTransceiver._codecs
    aioice 0.13   Connection.get_component_candidates, .query_consent, ._query_consent_task,
                  ._nominated, ._local_username, ._protocols, ._queue, ._closing,
                  StunProtocol.transactions, .send_stun

tests/unit/rtc/test_contract.py fails when one of them moves. It does not know calls.
"""

import asyncio
import random
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any, Protocol

from aioice import ice, stun
from aioice.candidate import Candidate, candidate_foundation, candidate_priority
from aiortc import (
    RTCBundlePolicy,
    RTCConfiguration,
    RTCPeerConnection,
    RTCRtpCodecParameters,
    RTCRtpReceiver,
    RTCRtpTransceiver,
    rtcsctptransport,
)

from voiced.errors import UnavailableError
from voiced.rtc.legs import Legs
from voiced.rtc.mux import Leg, Receiver, unused
from voiced.rtc.ports import Door

VERSIONS = {"aiortc": "1.16.", "aioice": "0.13."}

BUFFER = "_RTCRtpReceiver__jitter_buffer"
"""The name of the attribute that `replace_buffer` replaces."""

UNDECODED = "_RTCRtpReceiver__decoder_queue"
"""What the thread of the receiver's own decoder waits for; None ends it."""

CONSENT_INTERVAL_S = 1.0
CONSENT_S = 7.0
"""A caller that has answered no check for so long is lost."""

_PREFERRED = 65_535
"""Local preference (RFC 8445) of the candidate that a caller is to try first."""

SCTP_RTO_MIN_S = 0.2
"""A message that was lost is sent again after a fifth of a second, not a whole one."""


class Buffer(Protocol):
    """What aiortc's receiver hands its packets to."""

    def add(self, packet: Any) -> tuple[bool, None]: ...


def prepare() -> None:
    """Checks the libraries' versions and sets their timer. Raises UnavailableError."""
    for name, wanted in VERSIONS.items():
        if not (found := version(name)).startswith(wanted):
            raise UnavailableError(f"{name} {found} is installed: install {name}=={wanted}*")
    rtcsctptransport.SCTP_RTO_MIN = SCTP_RTO_MIN_S  # type: ignore[assignment]


def peer_connection() -> RTCPeerConnection:
    """A connection that asks no server anything: without `iceServers=[]` it would ask Google's."""
    configuration = RTCConfiguration(iceServers=[], bundlePolicy=RTCBundlePolicy.MAX_BUNDLE)
    return RTCPeerConnection(configuration)


def only(transceiver: RTCRtpTransceiver, mime: str) -> None:
    """Leaves one codec to a transceiver."""
    codecs = RTCRtpReceiver.getCapabilities("audio").codecs  # type: ignore[union-attr]
    transceiver.setCodecPreferences([c for c in codecs if c.mimeType.lower() == mime])


def accept_keys(transceiver: RTCRtpTransceiver, payload_type: int, hz: int) -> None:
    """Lets the answer take telephone-event as well, and packets of it through to the buffer.

    To be called between the offer and the answer.
    """
    transceiver._codecs.append(
        RTCRtpCodecParameters("audio/telephone-event", hz, payloadType=payload_type)
    )


def replace_buffer(receiver: RTCRtpReceiver, buffer: Buffer) -> None:
    """Puts `buffer` where the receiver keeps its jitter buffer, before any packet has come.

    The receiver's own decoder has nothing to do then: its thread ends as soon as it begins.
    """
    for name in (BUFFER, UNDECODED):
        if not hasattr(receiver, name):
            raise UnavailableError(f"aiortc's receiver has no {name} any more")
    setattr(receiver, BUFFER, buffer)
    getattr(receiver, UNDECODED).put(None)


def unfinished(connection: RTCPeerConnection) -> int:
    """Pieces of data channel messages that have come and whose message is not whole yet."""
    if connection.sctp is None:
        return 0
    return sum(len(stream.reassembly) for stream in connection.sctp._inbound_streams.values())


def confine(connection: RTCPeerConnection, doors: Sequence[Door]) -> Legs:
    """Lets a connection use nothing but these sockets: a candidate each, at the address that is
    told. The first is what the answer's `c=` names, the last what a caller prefers.

    To be called on the rtc loop, after the offer was set and before the answer is made.
    """
    agent = _agent(connection)
    name = agent._local_username = unused(*(door.mux for door in doors))
    legs, candidates = list[Leg](), list[Candidate]()
    for rank, door in enumerate(doors):
        protocol = ice.StunProtocol(agent)
        leg = door.mux.add(_receiver(agent, protocol), name)
        protocol.connection_made(leg)
        protocol.local_candidate = _candidate(door.told, door.mux.port, len(doors) - 1 - rank)
        agent._protocols.append(protocol)
        legs.append(leg)
        candidates.append(protocol.local_candidate)

    async def gather(**_component: object) -> list[Candidate]:
        return candidates

    agent.get_component_candidates = gather
    agent.query_consent = Consent(agent).run
    return Legs(legs)


def _receiver(agent: Any, protocol: Any) -> Receiver:
    return Receiver(
        received=protocol.datagram_received,
        waiting=agent._queue.qsize,
        lost=lambda: protocol.connection_lost(None),
    )


class Consent:
    """Whether a caller still answers checks (RFC 7675), in the place of aioice's own.

    An answer counts whenever it comes. aioice gives each half a second: on a line with more delay
    than that, or from a caller whose machine is busy, it gives up though every packet arrives.
    """

    def __init__(self, agent: Any) -> None:
        self._agent = agent
        self._asked: dict[bytes, dict[bytes, Any]] = {}
        """Checks that are not answered, and the lists on which they stand; the oldest first."""
        self._answered_at = 0.0

    async def run(self) -> None:
        """From the connection's beginning until nobody answers; then it is closed.

        One that was closed while it was being made is begun all the same.
        """
        loop = asyncio.get_running_loop()
        self._answered_at = loop.time()
        while not self._agent._closing and loop.time() < self._answered_at + CONSENT_S:
            await asyncio.sleep(CONSENT_INTERVAL_S * random.SystemRandom().uniform(0.8, 1.2))
            for pair in self._agent._nominated.values():
                self._ask(pair)
        self._agent._query_consent_task = None
        await self._agent.close()

    def response_received(self, message: stun.Message, _addr: object) -> None:
        """An answer, as a transaction of aioice's is told of it."""
        key = self._agent.remote_password.encode()
        if message.message_class == stun.Class.RESPONSE and message.check_message_integrity(key):
            self._forget(message.transaction_id)
            self._answered_at = asyncio.get_running_loop().time()

    def _ask(self, pair: Any) -> None:
        request = self._agent.build_request(pair, nominate=False)
        request.add_message_integrity(self._agent.remote_password.encode())
        if len(self._asked) > CONSENT_S / CONSENT_INTERVAL_S:
            self._forget(next(iter(self._asked)))
        pair.protocol.transactions[request.transaction_id] = self
        self._asked[request.transaction_id] = pair.protocol.transactions
        pair.protocol.send_stun(request, pair.remote_addr)

    def _forget(self, check: bytes) -> None:
        self._asked.pop(check).pop(check)


def bind_to(connection: RTCPeerConnection, host: str) -> None:
    """Lets a calling connection use one socket at `host`; aioice never offers loopback itself.

    To be called before the offer is made.
    """
    agent = _agent(connection)

    async def gather(**_component: object) -> list[Candidate]:
        loop = asyncio.get_running_loop()
        transport, protocol = await loop.create_datagram_endpoint(
            lambda: ice.StunProtocol(agent), local_addr=(host, 0)
        )
        protocol.local_candidate = _candidate(host, transport.get_extra_info("sockname")[1])
        agent._protocols.append(protocol)
        return [protocol.local_candidate]

    agent.get_component_candidates = gather
    agent.query_consent = Consent(agent).run


async def close(connection: RTCPeerConnection) -> None:
    """Closes a connection, and what began while it was closed, also where that takes too long.

    Keys that are agreed on in that moment start the receiver behind aiortc's back, whose thread
    would then keep the process alive for ever. To stop it twice does no harm.
    """
    try:
        await connection.close()
    finally:
        for transceiver in connection.getTransceivers():
            await transceiver.receiver.stop()


def given_up(connection: RTCPeerConnection) -> bool:
    """Whether checks went unanswered for so long that the path counts as dead."""
    return bool(_agent(connection)._closing)


def vanish(connection: RTCPeerConnection) -> None:
    """From now on a calling connection sends nothing, not even that it closes."""
    for protocol in protocols(connection):
        protocol.transport.sendto = lambda *_: None


def protocols(connection: RTCPeerConnection) -> list[Any]:
    """A connection's sockets, each with its `transport`: for callers that mean no good."""
    return list(_agent(connection)._protocols)


def _agent(connection: RTCPeerConnection) -> Any:
    """The ICE agent of a bundled connection: there is exactly one."""
    transports = [t.receiver.transport for t in connection.getTransceivers()]
    if connection.sctp is not None:
        transports.append(connection.sctp.transport)
    agents = {id(t): t for t in (t.transport.iceGatherer._connection for t in transports)}
    if len(agents) != 1:
        raise UnavailableError(f"a bundled connection has {len(agents)} transports, not one")
    return next(iter(agents.values()))


def _candidate(host: str, port: int, below: int = 0) -> Candidate:
    """`below`: how many are preferred to it."""
    return Candidate(
        foundation=candidate_foundation("host", "udp", host),
        component=1,
        transport="udp",
        priority=candidate_priority(1, "host", _PREFERRED - below),
        host=host,
        port=port,
        type="host",
    )
