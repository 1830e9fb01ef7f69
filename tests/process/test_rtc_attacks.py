"""What a stranger can send to the media port, and what a bad caller can: live calls stay up."""

import asyncio
import os
import socket
from collections.abc import Callable, Coroutine
from typing import Any

import numpy as np
import pytest
from OpenSSL import SSL

from voiced.config.settings import Rtc
from voiced.errors import Refused
from voiced.flow.cancel import Live
from voiced.flow.playout import Playout
from voiced.ops import metrics
from voiced.rtc.edge import Edge, Line
from voiced.rtc.facts import Closed, PeerFact
from voiced.rtc.inbound import Inbound
from voiced.testing.caller import Caller
from voiced.testing.exchange import DirectExchange

pytestmark = pytest.mark.process


def client_hello() -> bytes:
    connection = SSL.Connection(SSL.Context(SSL.DTLS_METHOD), None)
    connection.set_connect_state()
    with pytest.raises(SSL.WantReadError):
        connection.do_handshake()
    return connection.bio_read(4096)


ALERT = b"\x15\xfe\xfd\x00\x00" + b"\x00" * 5 + b"\x63\x00\x02\x02\x28"
CLOSE_NOTIFY = b"\x15\xfe\xfd\x00\x00" + b"\x00" * 5 + b"\x64\x00\x02\x01\x00"
HANDSHAKE = b"\x16\xfe\xfd" + bytes(range(200))
RTP = b"\x80\x6f" + b"\x00" * 160
RTCP_BYE = b"\x80\xcb\x00\x01\x00\x00\x00\x01"

ATTACKS = {
    "empty": b"",
    "one-byte": b"\x16",
    "client-hello": client_hello(),
    "alert": ALERT,
    "close-notify": CLOSE_NOTIFY,
    "handshake": HANDSHAKE,
    "rtp": RTP,
    "rtcp-bye": RTCP_BYE,
    "stun-without-name": b"\x00\x01\x00\x00\x21\x12\xa4\x42" + b"\x00" * 12,
    "stun-cut-short": b"\x00\x01\x00\x40\x21\x12\xa4\x42" + b"\x00" * 14,
    "largest": b"\x80" * 65_000,
}


class Desk:
    """The daemon's side of one call."""

    def __init__(self, edge: Edge) -> None:
        self.facts: list[PeerFact] = []
        self.inbound = Inbound()
        self.playout = Playout(Live(), lambda _played: None)
        self.exchange = DirectExchange(edge, Line(self.inbound, self.playout, self.facts.append))
        self.caller = Caller("", exchange=self.exchange)

    async def is_up(self) -> bool:
        """Packets keep coming in both directions, and nobody said that it is over."""
        await asyncio.sleep(0.1)
        sent, heard = self.inbound.packets, len(self.caller.heard().at)
        await asyncio.sleep(0.4)
        more = self.inbound.packets - sent, (len(self.caller.heard().at) - heard) // 2
        return min(more) >= 10 and not any(isinstance(fact, Closed) for fact in self.facts)

    async def close(self) -> None:
        await self.caller.close()
        if self.exchange.peer is not None:
            await self.exchange.peer.close()
        self.inbound.close()
        self.playout.close()


def in_a_call(
    main: Callable[[Edge, Desk, socket.socket], Coroutine[Any, Any, None]],
) -> None:
    async def opened() -> None:
        edge = await Edge.open(Rtc(port=0))
        desk = Desk(edge)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
            stranger.connect(("127.0.0.1", edge.port))
            stranger.setblocking(False)
            try:
                await desk.caller.open()
                await main(edge, desk, stranger)
            finally:
                await desk.close()
                await edge.close(2.0)

    asyncio.run(opened())


def name_of(desk: Desk) -> bytes:
    assert desk.exchange.peer is not None
    return desk.exchange.peer._legs.name.encode()


def check(name: bytes, bad: bytes = b"") -> bytes:
    """A STUN request that names a call, without its password."""
    value = name + b":xxxx"
    padded = value + b"\x00" * (-len(value) % 4)
    body = b"\x00\x06" + len(value).to_bytes(2, "big") + padded + bad
    header = b"\x00\x01" + len(body).to_bytes(2, "big") + b"\x21\x12\xa4\x42" + os.urandom(12)
    return header + body


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_strangers_datagrams_leave_a_live_call_up(attack: str) -> None:
    async def main(edge: Edge, desk: Desk, stranger: socket.socket) -> None:
        for _ in range(20):
            stranger.send(ATTACKS[attack])

        assert await desk.is_up()
        with pytest.raises(BlockingIOError):
            stranger.recv(2048)

    in_a_call(main)


@pytest.mark.parametrize("attack", ["empty", "client-hello", "alert", "handshake"])
def test_a_strangers_datagrams_do_not_stop_a_call_from_beginning(attack: str) -> None:
    async def main() -> None:
        edge = await Edge.open(Rtc(port=0))
        desk = Desk(edge)
        offer = desk.exchange.offer
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
            stranger.connect(("127.0.0.1", edge.port))

            async def raced(sdp: str) -> str:
                answer = await offer(sdp)
                for _ in range(50):
                    stranger.send(ATTACKS[attack])
                    stranger.send(check(name_of(desk)))
                return answer

            desk.exchange.offer = raced  # type: ignore[method-assign]
            await desk.caller.open()
            assert await desk.is_up()
        await desk.close()
        await edge.close(2.0)

    asyncio.run(main())


def test_who_knows_a_calls_name_but_not_its_password_gets_no_further() -> None:
    async def main(edge: Edge, desk: Desk, stranger: socket.socket) -> None:
        for bad in (
            b"",
            b"\x00\x24\x00\x00",
            b"\x00\x08\x00\x14" + b"x" * 20,
            b"\x00\x09\x00\x01x",
        ):
            stranger.send(check(name_of(desk), bad))
            stranger.send(RTP)
            stranger.send(ATTACKS["client-hello"])

        assert await desk.is_up()
        assert (1, 1) == edge._ports.size

    in_a_call(main)


@pytest.mark.timeout(40)
def test_a_flood_leaves_a_live_call_up() -> None:
    """Some ten thousand datagrams a second from one stranger, for two seconds."""

    async def main(edge: Edge, desk: Desk, stranger: socket.socket) -> None:
        before = desk.inbound.packets
        kinds = [RTP + b"\x00" * 1000, check(b"nobodyxx"), b"", ATTACKS["client-hello"]]
        dropped = total_dropped()
        sent = 0
        for _ in range(200):
            for _ in range(100):
                try:
                    stranger.send(kinds[sent % 4])
                except BlockingIOError:
                    break
                sent += 1
            await asyncio.sleep(0.01)

        assert sent > 5000
        assert total_dropped() - dropped > sent * 0.5
        assert desk.inbound.packets - before > 80
        assert await desk.is_up()

    in_a_call(main)


def total_dropped() -> float:
    return sum(
        sample.value
        for metric in metrics.DATAGRAMS_DROPPED.collect()
        for sample in metric.samples
        if sample.name.endswith("_total")
    )


@pytest.mark.parametrize(
    "change",
    [
        lambda sdp: sdp.replace("a=rtpmap:96 opus/48000/2", "a=rtpmap:xx opus/48000/2"),
        lambda sdp: sdp.replace("a=setup:actpass", "a=setup:whatever"),
        lambda sdp: sdp.replace("a=fingerprint:sha-256 ", "a=fingerprint:sha-256"),
        lambda sdp: sdp.replace("UDP/TLS/RTP/SAVPF 96", "UDP/TLS/RTP/SAVPF 96 999"),
        lambda sdp: sdp.replace("c=IN IP4 127.0.0.1", "c=IN"),
        lambda sdp: sdp.replace("a=sctp-port:5000", "a=sctp-port:x"),
        lambda sdp: sdp.replace("a=mid:0", "a=mid:0\r\na=extmap"),
        lambda sdp: sdp.replace("m=audio", "m=video"),
        lambda sdp: "v=0\r\n",
        lambda sdp: sdp * 20,
    ],
)
def test_a_crooked_offer_is_refused_and_leaves_nothing_behind(change: Callable[[str], str]) -> None:
    async def main(edge: Edge, desk: Desk, stranger: socket.socket) -> None:
        other = Desk(edge)
        offer = other.exchange.offer

        async def crooked(sdp: str) -> str:
            return await offer(change(sdp))

        other.exchange.offer = crooked  # type: ignore[method-assign]
        with pytest.raises(Refused) as refused:
            await other.caller.open()

        assert refused.value.status in (400, 413)
        assert [] == other.facts
        assert (1, 1) == edge._ports.size
        assert await desk.is_up()
        await other.close()

    in_a_call(main)


def test_a_caller_who_does_not_read_his_messages_costs_no_memory() -> None:
    """Beyond 64 KiB that he has not acknowledged, messages are dropped and counted."""

    async def main(edge: Edge, desk: Desk, stranger: socket.socket) -> None:
        assert desk.exchange.peer is not None
        await asyncio.sleep(0.3)
        counter = metrics.MESSAGES_DROPPED.labels("unread")._value
        before = counter.get()
        agent = desk.caller._connection.getTransceivers()[0].receiver.transport.transport
        for protocol in agent._connection._protocols:
            protocol.datagram_received = lambda _data, _address: None
        for _ in range(400):
            desk.exchange.peer.send('{"x": "' + "y" * 1000 + '"}')
        await asyncio.sleep(0.3)

        assert counter.get() - before > 200

    in_a_call(main)


def test_random_bytes_from_a_proven_address_do_not_end_the_call() -> None:
    """The caller's own address, forged or not: what cannot be decrypted is ignored."""

    async def main(edge: Edge, desk: Desk, stranger: socket.socket) -> None:
        agent = desk.caller._connection.getTransceivers()[0].receiver.transport.transport
        random = np.random.default_rng(3)
        for protocol in agent._connection._protocols:
            for first in (0x80, 0x16, 0x15, 0x00, 0x40, 0xFF):
                for length in (0, 1, 12, 200):
                    data = bytes([first]) + random.bytes(length)
                    protocol.transport.sendto(data, ("127.0.0.1", edge.port))
            # asyncio itself sends no empty datagram
            with socket.socket(fileno=os.dup(protocol.transport._sock_fd)) as own:
                own.sendto(b"", ("127.0.0.1", edge.port))

        assert await desk.is_up()

    in_a_call(main)
