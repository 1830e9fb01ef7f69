"""Is this machine too slow for its calls, and what does it leave out? Pure.

A turn is late when the work behind its end took longer than the agent's budget leaves for it. Too
many late turns in a minute, and one thing after another is left out, each for a while, to see
whether that is enough; when the turns are in time again, they come back in the reverse order, and
more slowly:

    level   0       1          2             3                    4
            all     partials   speculation   a long first clause  new calls
                    off        off           is cut shorter       are refused

It knows neither calls nor engines: it is told how turns went, and says what is in force.
"""

from collections import deque
from collections.abc import Callable
from enum import StrEnum, auto


class Measure(StrEnum):
    """What is left out, in this order."""

    PARTIALS = auto()
    SPECULATION = auto()
    LONG_CLAUSES = auto()
    CALLS = auto()


MINUTE_S = 60.0

FEWEST = 4
"""Turns that are judged at least: one late turn says nothing."""

BROKEN, KEPT = 0.25, 0.10
"""So many of the turns are late, at least or at most. What lies between changes nothing."""

RISE_S, FALL_S = 15.0, 60.0
"""From one change to the next one in either direction."""

_MOST = 1024
"""Turns that are remembered; more in a minute are more than any machine answers."""


class Strain:
    """Of the daemon. Main loop only."""

    def __init__(self) -> None:
        self.told: Callable[[tuple[Measure, ...]], None] = lambda _measures: None
        """Who is told of every change; replaced by the daemon."""
        self._turns: deque[tuple[float, bool]] = deque(maxlen=_MOST)
        self._level = 0
        self._changed_at = float("-inf")

    @property
    def measures(self) -> tuple[Measure, ...]:
        """In force, in their order."""
        return tuple(Measure)[: self._level]

    def turn_ended(self, at: float, *, late: bool) -> None:
        self._turns.append((at, late))
        self.look(at)

    def leaves_out(self, measure: Measure, at: float) -> bool:
        self.look(at)
        return measure in self.measures

    def look(self, at: float) -> None:
        """Time has passed: what is in force may change."""
        since = max(at - MINUTE_S, self._changed_at)
        late = [one for ended_at, one in self._turns if ended_at > since]
        part = sum(late) / len(late) if late else 0.0
        waited_s = at - self._changed_at
        if part >= BROKEN and len(late) >= FEWEST and waited_s >= RISE_S:
            self._go(min(self._level + 1, len(Measure)), at)
        elif part <= KEPT and waited_s >= FALL_S:
            self._go(max(self._level - 1, 0), at)

    def _go(self, level: int, at: float) -> None:
        if level != self._level:
            self._level, self._changed_at = level, at
            self.told(self.measures)
