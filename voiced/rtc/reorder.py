"""Puts RTP packets back into order, without ever waiting on an ordered stream.

A packet that is next goes through at once. Behind a gap at most two later packets wait; then what
is missing is lost. Nothing waits for smoothness, since a recogniser listens and not an ear:

    arrives  1 2 4 5 3 6       1 2 4 5 6
    leaves   1 2 - 345 6       1 2 - [lost 3] 45 6

It does not know time, codecs or sound.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

_HELD = 2
_JUMP = 3000
"""Sequence numbers: farther away than a minute of packets is another stream."""

_STALE_RUN = 25
"""So many late packets in a row are a sender that started again a little lower."""


class Packet(Protocol):
    """The parts of an RTP packet that are used."""

    ssrc: int
    sequence_number: int
    timestamp: int
    payload: bytes


@dataclass(frozen=True, slots=True)
class Lost:
    """`count` packets before `following` will not come."""

    count: int
    following: Packet


@dataclass(frozen=True, slots=True)
class Restarted:
    """Another stream begins: nothing that was known of the old one holds."""


Step = Packet | Lost | Restarted


class Reorder:
    """One caller's packets."""

    def __init__(self) -> None:
        self.lost = 0
        """Packets that were given up."""
        self.late = 0
        """Packets that came twice, or after they had been given up."""
        self._ssrc: int | None = None
        self._next = 0
        self._stale = 0
        self._waiting: dict[int, Packet] = {}

    def push(self, packet: Packet) -> Iterator[Step]:
        """Takes a packet as it arrives; gives what can be heard now."""
        if self._foreign(packet):
            yield from self.flush()
            self._ssrc, self._next, self._stale = packet.ssrc, packet.sequence_number, 0
            yield Restarted()
        ahead = self._ahead(packet.sequence_number)
        if ahead >= 0x8000 or packet.sequence_number in self._waiting:
            self.late += 1
            self._stale += 1
            return
        self._stale = 0
        self._waiting[packet.sequence_number] = packet
        yield from self._ready(_HELD)

    def flush(self) -> Iterator[Step]:
        """Gives what still waits, because nothing more may come."""
        yield from self._ready(1)

    def _ready(self, held: int) -> Iterator[Step]:
        while self._waiting:
            packet = self._waiting.pop(self._next, None)
            if packet is not None:
                self._next = (self._next + 1) & 0xFFFF
                yield packet
            elif len(self._waiting) >= held:
                oldest = min(self._waiting, key=self._ahead)
                count = self._ahead(oldest)
                self.lost += count
                self._next = oldest
                yield Lost(count, self._waiting[oldest])
            else:
                return

    def _ahead(self, sequence_number: int) -> int:
        return (sequence_number - self._next) & 0xFFFF

    def _foreign(self, packet: Packet) -> bool:
        ahead = self._ahead(packet.sequence_number)
        return (
            packet.ssrc != self._ssrc
            or _JUMP < ahead < 0x10000 - _JUMP
            or self._stale >= _STALE_RUN
        )
