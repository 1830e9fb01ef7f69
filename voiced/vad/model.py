"""What a voice activity detector tells: facts with positions in the call's audio.

It does not know turns; it says where speech began and where it fell silent.
"""

from dataclasses import dataclass


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
