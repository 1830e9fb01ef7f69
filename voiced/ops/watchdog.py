"""What is stuck, and since when: pure, told the time.

A thread is stuck when it is at work and has shown no progress for longer than its limit. A thread
that has nothing to do is not, nor one that has much to do and moves.

    looks      |      |      |      |      |      |
    stt     ...idle   job1   job2   job2   job2   job2     job2 has been silent for three looks
    vad     ...tick   tick   tick   tick   tick   tick     never silent

Silence is counted in looks, not by the clock: of the time between two looks at most twice the usual
is counted. So a machine that was paused, or so busy that nobody got to look, is not taken for a
thread that hangs. It does not know what the threads do, nor who is told.

A loop that is starved does come round, and so late each time that its calls are dead all the same:
what counts as progress of a loop is a round in time.

    rounds     | | | |            | | | |     a pause, and on: in time again
               |      |      |      |         starved: not one in time
"""

from dataclasses import dataclass
from typing import Protocol


class Pulse(Protocol):
    """What a thread shows of itself. Read on any thread."""

    @property
    def progressed_at(self) -> float:
        """Instant at which it last moved."""
        ...

    @property
    def busy(self) -> bool:
        """It is at work, so it ought to move."""
        ...


@dataclass(frozen=True, slots=True)
class Stuck:
    """A thread that no longer moves."""

    name: str
    silent_s: float
    """At least so long."""


IN_TIME_S = 1.0
"""From one round of a loop to the next: far more than a flood of calls takes, or a collector."""


class Rounds:
    """The pulse of a loop that ought to come round all the time. Told on its thread."""

    busy = True
    """Always: it comes round with nothing to do as well."""

    def __init__(self, at: float) -> None:
        self.progressed_at = at
        """Instant at which it last came round in time."""
        self._before = at

    def came(self, at: float) -> None:
        """Once more."""
        if at - self._before <= IN_TIME_S:
            self.progressed_at = at
        self._before = at


@dataclass(slots=True)
class _Watched:
    name: str
    pulse: Pulse
    limit_s: float
    progressed_at: float
    silent_s: float = 0.0


class Watchdog:
    """One thread looks, every `beat_s`."""

    def __init__(self, beat_s: float) -> None:
        self._longest_s = 2 * beat_s
        self._looked_at: float | None = None
        self._watched: list[_Watched] = []

    def add(self, name: str, pulse: Pulse, limit_s: float) -> None:
        """From now on `name` is looked at."""
        self._watched.append(_Watched(name, pulse, limit_s, pulse.progressed_at))

    def look(self, at: float) -> tuple[Stuck, ...]:
        """Whoever has been silent for longer than its limit, in the order in which they came."""
        passed_s = 0.0 if self._looked_at is None else min(at - self._looked_at, self._longest_s)
        self._looked_at = at
        for one in self._watched:
            moved_at = one.pulse.progressed_at
            if moved_at != one.progressed_at or not one.pulse.busy:
                one.progressed_at, one.silent_s = moved_at, 0.0
            else:
                one.silent_s += passed_s
        return tuple(
            Stuck(one.name, one.silent_s) for one in self._watched if one.silent_s > one.limit_s
        )
