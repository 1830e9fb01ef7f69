"""How a clause came: its first sound, and whether it ever ran dry. Pure."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Play:
    """One clause as it came: when each chunk arrived, and how long it sounds."""

    ttfb_ms: float
    underruns: int
    """Chunks that came after everything before them had been played."""


def play(begun_at: float, arrivals: list[tuple[float, float]]) -> Play:
    """From pairs of (instant, seconds of sound) in order; at least one."""
    plays_until = first_at = arrivals[0][0]
    underruns = 0
    for at, seconds in arrivals:
        underruns += at > plays_until
        plays_until = max(plays_until, at) + seconds
    return Play((first_at - begun_at) * 1000, underruns)
