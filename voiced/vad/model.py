"""What a voice activity detector tells: facts with positions in the call's audio.

It does not know turns; it says where speech began and where it fell silent.
"""

from dataclasses import dataclass
from typing import Protocol

from voiced.flow.ring import Ring


@dataclass(frozen=True, slots=True)
class SpeechBegan:
    """Speech for long enough to believe it."""

    at: float
    """Instant of the first voiced sample, in seconds of voiced.clock."""
    sample: int
    """Its position, counted from the call's first sample at 16 kHz."""


@dataclass(frozen=True, slots=True)
class SpeechEnded:
    """Silence for long enough to believe it."""

    at: float
    """Instant of the last voiced sample."""
    sample: int
    """Position one past it."""
    voiced_s: float
    """Seconds of windows above the threshold since SpeechBegan."""


Verdict = SpeechBegan | SpeechEnded


@dataclass(frozen=True, slots=True)
class Deafened:
    """The detector has failed for a call, and listens to it no more. Told last."""

    at: float


Hearsay = Verdict | Deafened
"""All that a detector tells."""


class Source(Protocol):
    """One caller's sound, as it arrives."""

    @property
    def ring(self) -> Ring:
        """16 kHz; the detector is its one reader."""
        ...

    def instant(self, sample: int) -> float:
        """When the sample at this position was captured, in seconds of voiced.clock."""
        ...
