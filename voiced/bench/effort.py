"""How long a piece of work takes on a machine that others use too.

An engine's threads wait for each other awake, so their CPU time over their number is what the work
takes when nobody else wants the cores; the clock says what it took. The smaller of both is
believed. It does not know what is done.
"""

import resource

from voiced import clock


class Effort:
    """Begins with its making. Nothing else may work in this process meanwhile."""

    def __init__(self, threads: int) -> None:
        """`threads`: those that do the work."""
        self._threads = threads
        self._begun = clock.now()
        self._spent = _cpu_s()

    @property
    def seconds(self) -> float:
        """Until now."""
        return min(clock.now() - self._begun, (_cpu_s() - self._spent) / self._threads)


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
