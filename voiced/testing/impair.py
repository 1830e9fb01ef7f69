"""A bad network in front of a UDP port: loss, delay and jitter, seeded, without privileges.

    caller <-> proxy's port <-> one socket for each caller <-> the daemon's port

Delayed datagrams overtake each other, as they do on a radio link. It does not know what they hold.
"""

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

Address = tuple[str, int]
_HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Weather:
    """How bad it is, in each direction."""

    loss: float = 0.0
    """Share of datagrams that never arrive, 0..1."""
    delay_ms: float = 0.0
    jitter_ms: float = 0.0
    """Added to the delay, evenly distributed."""
    seed: int = 1


class Impairment(asyncio.DatagramProtocol):
    """The proxy. Made by `impair`; everything on one loop."""

    def __init__(self, upstream: Address, weather: Weather) -> None:
        self.weather = weather
        """May be replaced during a call."""
        self.lost = 0
        self.passed = 0
        self._upstream = upstream
        self._random = random.Random(weather.seed)
        self._transport: asyncio.DatagramTransport | None = None
        self._backs: dict[Address, _Back] = {}
        self._opening: set[asyncio.Future[Any]] = set()
        self._held: list[Callable[[], None]] | None = None

    @property
    def port(self) -> int:
        assert self._transport is not None
        return int(self._transport.get_extra_info("sockname")[1])

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.DatagramTransport, transport)

    def datagram_received(self, data: bytes, addr: Address) -> None:
        back = self._backs.get(addr)
        if back is None:
            back = self._backs[addr] = _Back(
                lambda reply: self._ship(lambda: self._send(reply, addr))
            )
            loop = asyncio.get_running_loop()
            opening = loop.create_datagram_endpoint(lambda: back, remote_addr=self._upstream)
            self._opening.add(loop.create_task(opening))
        self._ship(lambda: back.send(data))

    def hold(self) -> None:
        """Keeps everything back, as a link does that has gone to another access point."""
        self._held = []

    def release(self) -> None:
        """Delivers what was kept back, in order and at once."""
        held, self._held = self._held or [], None
        for send in held:
            send()

    async def close(self) -> None:
        """Lets nothing more through."""
        await asyncio.gather(*self._opening)
        for back in self._backs.values():
            back.close()
        if self._transport is not None:
            self._transport.close()
            self._transport = None
        await asyncio.sleep(0)

    def _send(self, data: bytes, addr: Address) -> None:
        if self._transport is not None:
            self._transport.sendto(data, addr)

    def _ship(self, send: Callable[[], None]) -> None:
        weather = self.weather
        if self._random.random() < weather.loss:
            self.lost += 1
            return
        self.passed += 1
        if self._held is not None:
            self._held.append(send)
            return
        delay_s = (weather.delay_ms + self._random.random() * weather.jitter_ms) / 1000.0
        if delay_s > 0.0:
            asyncio.get_running_loop().call_later(delay_s, send)
        else:
            send()


class _Back(asyncio.DatagramProtocol):
    """The daemon's side of one caller; what comes before the socket is open waits."""

    def __init__(self, reply: Callable[[bytes], None]) -> None:
        self._reply = reply
        self._early: list[bytes] = []
        self._transport: asyncio.DatagramTransport | None = None
        self._closed = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.DatagramTransport, transport)
        for data in self._early:
            self._transport.sendto(data)
        self._early.clear()

    def datagram_received(self, data: bytes, addr: Address) -> None:
        self._reply(data)

    def send(self, data: bytes) -> None:
        if self._closed:
            return
        if self._transport is None:
            self._early.append(data)
        else:
            self._transport.sendto(data)

    def close(self) -> None:
        self._closed = True
        if self._transport is not None:
            self._transport.close()


async def impair(port: int, weather: Weather) -> Impairment:
    """A proxy on a free port of the loopback, in front of `port`."""
    _, proxy = await asyncio.get_running_loop().create_datagram_endpoint(
        lambda: Impairment((_HOST, port), weather), local_addr=(_HOST, 0)
    )
    return proxy


def redirected(answer: str, port: int, proxy: int) -> str:
    """An SDP answer whose candidates lead to the proxy instead of `port`."""
    return "".join(
        line.replace(f" {port} ", f" {proxy} ") if line.startswith("a=candidate") else line
        for line in answer.splitlines(keepends=True)
    )
