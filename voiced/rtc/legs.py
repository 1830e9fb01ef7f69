"""One call's legs, one at each socket, under one name: whichever the caller's checks come to.

It does not know datagrams.
"""

from collections.abc import Sequence

from voiced.rtc.mux import Leg


class Legs:
    """Lives on the rtc loop."""

    def __init__(self, legs: Sequence[Leg]) -> None:
        self._legs = legs

    @property
    def name(self) -> str:
        return self._legs[0].name

    @property
    def ports(self) -> set[int]:
        """Of the sockets: one number, for a call has the same port in both families."""
        return {int(leg.get_extra_info("sockname")[1]) for leg in self._legs}

    @property
    def received_at(self) -> float:
        """Instant of the newest datagram of any kind that reached the call."""
        return max(leg.received_at for leg in self._legs)

    def begin(self, at: float) -> None:
        """Counts as if something had come."""
        self._legs[0].received_at = at

    def close(self) -> None:
        """Idempotent."""
        for leg in self._legs:
            leg.close()
