"""What turns took in the last hour, minute by minute, for whoever looks at it now.

Numbers by name, in memory, bounded; the metrics have the long run. Main loop only. It does not know
what a leg is.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from voiced import clock

MINUTES = 60
_MINUTE_S = 60.0
_MOST = 500
"""Of one name in one minute; 30 calls with a turn every four seconds make 450."""


@dataclass(slots=True)
class _Minute:
    number: int
    values: dict[str, list[float]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Spread:
    """Of one name."""

    p50: float
    p95: float
    minutes: Sequence[tuple[int, float, float]]
    """How many minutes ago, and p50 and p95 of that minute; the oldest first."""


class Recent:
    """The last hour."""

    def __init__(self, now: Callable[[], float] = clock.now) -> None:
        self._now = now
        self._minutes: deque[_Minute] = deque(maxlen=MINUTES)

    def add(self, name: str, value: float) -> None:
        number = self._number()
        if not self._minutes or self._minutes[-1].number != number:
            self._minutes.append(_Minute(number))
        values = self._minutes[-1].values.setdefault(name, [])
        if len(values) < _MOST:
            values.append(value)

    def spreads(self) -> Mapping[str, Spread]:
        """Of each name that had a value."""
        current = self._number()
        lately = [one for one in self._minutes if current - one.number < MINUTES]
        names = dict.fromkeys(name for one in lately for name in one.values)
        return {name: _spread(name, lately, current) for name in names}

    def _number(self) -> int:
        return int(self._now() // _MINUTE_S)


LEGS = Recent()
"""Legs of turns, and `voice_to_voice`, in ms."""


def _spread(name: str, minutes: Sequence[_Minute], current: int) -> Spread:
    own = [(current - one.number, one.values[name]) for one in minutes if name in one.values]
    every = [value for _, values in own for value in values]
    points = [(ago, quantile(values, 0.5), quantile(values, 0.95)) for ago, values in own]
    return Spread(quantile(every, 0.5), quantile(every, 0.95), points)


def quantile(values: Sequence[float], share: float) -> float:
    """The smallest value that so great a share of them does not exceed."""
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]
