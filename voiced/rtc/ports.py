"""Where calls get their socket: one for all of them, or each its own out of a range.

    [rtc] port         every call ──> the one socket
    [rtc] port_range   a call ──> the next free port of the range; closed with the call

What a stranger's datagram meets is the same in both (`mux`). It does not know calls.
"""

from collections.abc import Iterator

from voiced.config.settings import Rtc
from voiced.errors import Refused
from voiced.rtc.mux import UdpMux


class Ports:
    """Lives on the rtc loop."""

    def __init__(self, settings: Rtc, shared: UdpMux | None) -> None:
        self._host = settings.host
        self._shared = shared
        first, last = settings.port_range or (0, -1)
        self._range = range(first, last + 1)
        self._next = 0
        self._own: set[UdpMux] = set()

    @classmethod
    async def open(cls, settings: Rtc) -> "Ports":
        """Binds the one socket; of a range it tries a port. Raises OSError."""
        if settings.port_range is None:
            return cls(settings, await UdpMux.open(settings.host, settings.port))
        (await UdpMux.open(settings.host, settings.port_range[0])).close()
        return cls(settings, None)

    @property
    def port(self) -> int:
        """The one port, or the first of the range."""
        return self._shared.port if self._shared is not None else self._range.start

    @property
    def size(self) -> tuple[int, int]:
        """How many names and addresses are known, on all sockets."""
        sizes = [mux.size for mux in self._muxes()]
        return sum(names for names, _ in sizes), sum(addresses for _, addresses in sizes)

    async def take(self) -> UdpMux:
        """A socket for one more call. Raises Refused (503) when the range is used up."""
        if self._shared is not None:
            return self._shared
        self._own = {mux for mux in self._own if not mux.closed}
        for _ in self._range:
            port = self._range[self._next % len(self._range)]
            self._next += 1
            try:
                mux = await UdpMux.open(self._host, port, alone=True)
            except OSError:
                continue  # another call has it, or another program
            self._own.add(mux)
            return mux
        raise Refused(503, "full", "every media port is taken; try again soon", 30)

    def close(self) -> None:
        for mux in self._muxes():
            mux.close()

    def _muxes(self) -> Iterator[UdpMux]:
        if self._shared is not None:
            yield self._shared
        yield from self._own
