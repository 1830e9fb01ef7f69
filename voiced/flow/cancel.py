"""(turn, take) as the cancel token: work carries the pair, and stale work stops.

A call's `Live` is written by its turn machine's driver on the main loop, and read by any thread: a
tuple is replaced as a whole, so a reader sees the old pair or the new one and never half of each.
There is no flag to set and none to forget.
"""

from dataclasses import dataclass

from voiced.turn.take import Take

__all__ = ["Live", "Take", "Ticket"]


class Live:
    """The take of one call whose work still counts."""

    __slots__ = ("take",)

    def __init__(self) -> None:
        self.take = Take(0, 0)


@dataclass(frozen=True, slots=True)
class Ticket:
    """What a piece of work carries: whose it is, and whether anybody still wants it."""

    call: str
    """The call's identifier: random, with no meaning."""
    take: Take
    live: Live

    @property
    def stale(self) -> bool:
        return self.live.take != self.take
