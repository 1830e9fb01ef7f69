"""One UDP socket for all calls; where there is one of each family, one of these for each.

A STUN request finds its call by the name (ufrag) that it was sent to; everything else by the
address that it comes from. An address counts only once the call has answered a check from it with
success, which takes the call's password; and it stays that call's while the call's own checks are
answered from there. So nobody takes a neighbour's address by forging it, and whom a router gives
the address of a caller who has vanished is not taken for them. A stranger's datagrams end here:

    datagram ── empty, or too long ───────────────> dropped
             ── STUN request ── name unknown ─────> dropped
                             └─ known ────────────> its call, which proves it
             ── other ── address not proven ──────> dropped
                      └─ proven ── backlog full ──> dropped
                                └─────────────────> its call

It does not know aiortc or aioice, nor what a datagram holds beyond the above.
"""

import asyncio
import secrets
import socket
import string
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from voiced import clock
from voiced.ops import metrics

Address = tuple[str, int]

_MOST_ADDRESSES = 16
"""Of one call: a handset roams, it does not scan."""

_UNANSWERED_S = 3.0
"""Of checks that are sent every second: then the address may be another caller's."""

_MOST_WAITING = 256
"""Datagrams of one call that its transport has not read: five seconds of audio."""

_MOST_UNSENT_BYTES = 262_144
_LARGEST_BYTES = 2048
_RECEIVE_BUFFER_BYTES = 4 << 20
_EXPEDITED = 0xB8
"""DSCP EF: the voice queue of a managed network."""

_COOKIE = b"\x21\x12\xa4\x42"
_REQUEST = b"\x00\x01"
_SUCCESS = b"\x01\x01"
_USERNAME = b"\x00\x06"
_ALPHABET = string.ascii_letters + string.digits


@dataclass(frozen=True, slots=True)
class Receiver:
    """What a call does with its datagrams. All on the rtc loop."""

    received: Callable[[bytes, Address], None]
    waiting: Callable[[], int]
    """Datagrams that were received and not read yet."""
    lost: Callable[[], None]
    """The leg was closed."""


class Leg(asyncio.DatagramTransport):
    """One call's share of the socket, in the shape of an asyncio transport."""

    def __init__(self, mux: "UdpMux", name: str, receiver: Receiver) -> None:
        super().__init__()
        self.name = name
        self.receiver = receiver
        self.addresses: dict[Address, float] = {}
        """And when a check of ours was answered from there last."""
        self.received_at = 0.0
        """Instant of the newest datagram of any kind that reached the call."""
        self._mux = mux

    def sendto(self, data: Any, addr: Any = None) -> None:
        """Sends a datagram; a success response proves the address that it goes to."""
        if data[:2] == _SUCCESS and data[4:8] == _COOKIE:
            self._mux.proven(addr[:2], self)
        self._mux.send(data, addr)

    def close(self) -> None:
        """Forgets the call's name and addresses. Idempotent."""
        self._mux.forget(self)
        self.receiver.lost()

    def abort(self) -> None:
        self.close()

    def is_closing(self) -> bool:
        return self._mux.leg(self.name) is not self

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return self._mux.get_extra_info(name, default)


class UdpMux(asyncio.DatagramProtocol):
    """The socket, and who is behind which address. Lives on the rtc loop."""

    def __init__(self, *, alone: bool = False, now: Callable[[], float] = clock.now) -> None:
        """`alone`: closes with the call that it was opened for."""
        self.closed = False
        self._now = now
        self._alone = alone
        self._transport: asyncio.DatagramTransport | None = None
        self._unsent: Callable[[], int] = int
        self._names: dict[str, Leg] = {}
        self._addresses: dict[Address, Leg] = {}

    @classmethod
    async def open(cls, host: str, port: int, *, alone: bool = False) -> "UdpMux":
        """Binds the socket on the running loop. Raises OSError."""
        sock = _bound(host, port)
        try:
            loop = asyncio.get_running_loop()
            _, mux = await loop.create_datagram_endpoint(lambda: cls(alone=alone), sock=sock)
        except BaseException:
            sock.close()
            raise
        return mux

    @property
    def port(self) -> int:
        return int(self.get_extra_info("sockname")[1])

    @property
    def size(self) -> tuple[int, int]:
        """How many names and addresses are known."""
        return len(self._names), len(self._addresses)

    def add(self, receiver: Receiver, name: str) -> Leg:
        """A new call's leg, under an `unused` name."""
        leg = self._names[name] = Leg(self, name, receiver)
        return leg

    def leg(self, name: str) -> Leg | None:
        return self._names.get(name)

    def proven(self, address: Address, leg: Leg) -> None:
        """An address is that call's which proved it first, while its checks are answered there."""
        if self._names.get(leg.name) is not leg or address in leg.addresses:
            return
        if len(leg.addresses) >= _MOST_ADDRESSES:
            return
        owner, at = self._addresses.get(address), self._now()
        if owner is not None:
            if at - owner.addresses[address] < _UNANSWERED_S:
                return
            del owner.addresses[address]
        self._addresses[address] = leg
        leg.addresses[address] = at

    def forget(self, leg: Leg) -> None:
        if self._names.get(leg.name) is leg:
            del self._names[leg.name]
        for address in leg.addresses:
            del self._addresses[address]
        leg.addresses.clear()
        if self._alone and not self._names:
            self.close()

    def send(self, data: bytes, address: Address) -> None:
        transport = self._transport
        if transport is None or transport.is_closing():
            return
        if self._unsent() > _MOST_UNSENT_BYTES:
            _dropped("unsent")
            return
        transport.sendto(data, address)

    def close(self) -> None:
        self.closed = True
        if self._transport is not None:
            self._transport.close()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return default if self._transport is None else self._transport.get_extra_info(name, default)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.DatagramTransport, transport)
        self._unsent = transport.get_write_buffer_size  # type: ignore[attr-defined]

    def datagram_received(self, data: bytes, addr: tuple[Any, ...]) -> None:
        address = (addr[0], addr[1])
        leg = self._owner(data, address)
        if leg is None:
            return
        leg.received_at = self._now()
        try:
            leg.receiver.received(data, address)
        except (ValueError, LookupError, AssertionError, AttributeError):
            _dropped("malformed")

    def error_received(self, exc: Exception) -> None:
        """A datagram could not be sent, or an ICMP error came back: the call's deadlines decide."""

    def _owner(self, data: bytes, address: Address) -> Leg | None:
        if not 0 < len(data) <= _LARGEST_BYTES:
            return _refused("size")
        if data[:2] == _REQUEST and data[4:8] == _COOKIE:
            return self._named(data, address)
        leg = self._addresses.get(address)
        if leg is None:
            return _refused("stranger")
        if leg.receiver.waiting() >= _MOST_WAITING:
            return _refused("backlog")
        if data[:2] == _SUCCESS and data[4:8] == _COOKIE:
            leg.addresses[address] = self._now()
        return leg

    def _named(self, data: bytes, address: Address) -> Leg | None:
        leg = self._names.get(username(data))
        if leg is None:
            return _refused("unknown-name")
        if address not in leg.addresses and len(leg.addresses) >= _MOST_ADDRESSES:
            return _refused("too-many-addresses")
        return leg


def unused(*muxes: UdpMux) -> str:
    """A name that no call has at any of them."""
    while True:
        name = "".join(secrets.choice(_ALPHABET) for _ in range(8))
        if not any(mux.leg(name) for mux in muxes):
            return name


def username(request: bytes) -> str:
    """The local half of a STUN request's USERNAME; empty where there is none."""
    at = 20
    while at + 4 <= len(request):
        length = int.from_bytes(request[at + 2 : at + 4], "big")
        if request[at : at + 2] == _USERNAME:
            value = request[at + 4 : at + 4 + length]
            return value.partition(b":")[0].decode("ascii", "ignore")
        at += 4 + length + -length % 4
    return ""


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
    try:
        sock.setblocking(False)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _RECEIVE_BUFFER_BYTES)
        if family == socket.AF_INET6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_TCLASS, _EXPEDITED)
        else:
            sock.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, _EXPEDITED)
        sock.bind((host, port))
    except BaseException:
        sock.close()
        raise
    return sock


def _refused(reason: str) -> Leg | None:
    _dropped(reason)
    return None


def _dropped(reason: str) -> None:
    metrics.DATAGRAMS_DROPPED.labels(reason).inc()
