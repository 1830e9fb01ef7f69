"""Where calls get their sockets: the same for all of them, or each its own out of a range.

    [rtc] port         every call ──> the one port
    [rtc] port_range   a call ──> the next free port of the range; closed with the call

A port is one socket, or one of each family of addresses. What a stranger's datagram meets is the
same in all of them (`mux`). It does not know calls.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from voiced.config.settings import Rtc
from voiced.errors import Refused
from voiced.rtc.addresses import Place, places
from voiced.rtc.mux import UdpMux


@dataclass(frozen=True, slots=True)
class Door:
    """A socket, and the address of it that callers are told."""

    mux: UdpMux
    told: str


class Ports:
    """Lives on the rtc loop."""

    def __init__(self, settings: Rtc, shared: tuple[Door, ...]) -> None:
        self._places = places(settings)
        self._shared = shared
        first, last = settings.port_range or (0, -1)
        self._range = range(first, last + 1)
        self._next = 0
        self._own: set[UdpMux] = set()

    @classmethod
    async def open(cls, settings: Rtc) -> "Ports":
        """Binds the one port; of a range it tries the first.

        Raises OSError, with the address that cannot be bound as its `filename`.
        """
        if settings.port_range is None:
            return cls(settings, await _opened(places(settings), settings.port))
        for door in await _opened(places(settings), settings.port_range[0]):
            door.mux.close()
        return cls(settings, ())

    @property
    def port(self) -> int:
        """The one port, or the first of the range."""
        return self._shared[0].mux.port if self._shared else self._range.start

    @property
    def size(self) -> tuple[int, int]:
        """How many names and addresses are known, on all sockets."""
        sizes = [mux.size for mux in self._muxes()]
        return sum(names for names, _ in sizes), sum(addresses for _, addresses in sizes)

    async def take(self) -> tuple[Door, ...]:
        """Sockets for one more call. Raises Refused (503) when the range is used up."""
        if self._shared:
            return self._shared
        self._own = {mux for mux in self._own if not mux.closed}
        for _ in self._range:
            port = self._range[self._next % len(self._range)]
            self._next += 1
            try:
                doors = await _opened(self._places, port, alone=True)
            except OSError:
                continue  # another call has it, or another program
            self._own |= {door.mux for door in doors}
            return doors
        raise Refused(503, "full", "every media port is taken; try again soon", 30)

    def close(self) -> None:
        for mux in self._muxes():
            mux.close()

    def _muxes(self) -> Iterator[UdpMux]:
        yield from (door.mux for door in self._shared)
        yield from self._own


async def _opened(where: tuple[Place, ...], port: int, *, alone: bool = False) -> tuple[Door, ...]:
    """The same port at every address, or none. Raises OSError."""
    doors: list[Door] = []
    for place in where:
        try:
            mux = await UdpMux.open(place.host, port, alone=alone)
        except OSError as error:
            for door in doors:
                door.mux.close()
            raise OSError(error.errno, error.strerror, place.host) from None
        doors.append(Door(mux, place.told))
        port = mux.port
    return tuple(doors)
