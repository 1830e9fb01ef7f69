"""Which attempt to answer which turn."""

from typing import NamedTuple


class Take(NamedTuple):
    """One attempt to answer one turn; the cancel token of all work done for it. Ordered in time."""

    turn: int
    """Counts the caller's turns from 1; 0 is the greeting."""
    take: int
    """Goes up by one whenever the attempt dies and the turn goes on."""
