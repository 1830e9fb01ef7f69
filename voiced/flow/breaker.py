"""Whether something that failed is tried again: closed, open, or half open for one trial.

    closed --failures in a row--> open --pause--> half open --success--> closed
                                    ^------------- failure ---'

It is told the time, and does not know what it guards.
"""

from enum import StrEnum, auto


class Circuit(StrEnum):
    """What is let through."""

    CLOSED = auto()  # everything
    OPEN = auto()  # nothing
    HALF_OPEN = auto()  # one trial, whose result is awaited


class Breaker:
    """One thread at a time."""

    def __init__(self, failures: int, pause_s: float) -> None:
        """Opens after so many failures in a row, for so long."""
        self.circuit = Circuit.CLOSED
        self._limit = failures
        self._pause_s = pause_s
        self._failures = 0
        self._open_until = 0.0

    def admits(self, at: float) -> bool:
        """Whether to try now. One that is admitted must tell `failed`, `succeeded` or `unknown`."""
        match self.circuit:
            case Circuit.CLOSED:
                return True
            case Circuit.OPEN if at >= self._open_until:
                self.circuit = Circuit.HALF_OPEN
                return True
            case _:
                return False

    def succeeded(self) -> None:
        """The try went well."""
        self._failures = 0
        self.circuit = Circuit.CLOSED

    def failed(self, at: float) -> None:
        """The try went wrong."""
        self._failures += 1
        if self.circuit is not Circuit.CLOSED or self._failures >= self._limit:
            self.circuit = Circuit.OPEN
            self._open_until = at + self._pause_s

    def unknown(self) -> None:
        """The try was given up before it could tell; the next one may try."""
        if self.circuit is Circuit.HALF_OPEN:
            self.circuit = Circuit.OPEN
