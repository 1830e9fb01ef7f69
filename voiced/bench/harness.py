"""Ours and a baseline, measured in turn (A B A B), as medians and ratios.

It does not know what is measured, nor in which unit: the two callables return numbers. Taking turns
lets whatever else the machine does fall on both alike, so ratios are steadier than the numbers.
"""

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Measurement = Callable[[], float]
"""Does the work once and returns its cost, or what it achieved."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Numbers of one side, in the order in which they were taken. Never empty."""

    values: tuple[float, ...]

    def __post_init__(self) -> None:
        if not self.values:
            raise ValueError("a spread needs at least one value")

    @property
    def median(self) -> float:
        """Half of the values are at or below it."""
        return statistics.median(self.values)

    @property
    def p95(self) -> float:
        """95 % of the values are at or below it."""
        return percentile(self.values, 95)

    def json(self) -> dict[str, float | int]:
        """`p50`, `p95` and `count`."""
        return {"p50": round(self.median, 3), "p95": round(self.p95, 3), "count": len(self.values)}


@dataclass(frozen=True, slots=True)
class Comparison:
    """Both sides, pair by pair."""

    ours: Spread
    baseline: Spread

    @property
    def ratio(self) -> float:
        """Median of ours / baseline over the pairs, so that drift of the machine cancels out."""
        pairs = zip(self.ours.values, self.baseline.values, strict=True)
        return statistics.median(ours / baseline for ours, baseline in pairs)

    def json(self, name: str) -> dict[str, object]:
        """`NAME_ratio`, `NAME` and `baseline_NAME`, the last two with p50, p95 and count."""
        return {
            f"{name}_ratio": round(self.ratio, 4),
            name: self.ours.json(),
            f"baseline_{name}": self.baseline.json(),
        }


def alternate(ours: Measurement, baseline: Measurement, rounds: int) -> Comparison:
    """One pair to warm up, which is thrown away, then `rounds` pairs.

    Raises ValueError when `rounds` is below 1 or the baseline's cost is not above zero.
    """
    if rounds < 1:
        raise ValueError(f"rounds = {rounds}: at least one")
    pairs = [(ours(), baseline()) for _ in range(rounds + 1)][1:]
    if any(cost <= 0 for _, cost in pairs):
        raise ValueError("a baseline that costs nothing cannot be compared with")
    return Comparison(Spread(tuple(a for a, _ in pairs)), Spread(tuple(b for _, b in pairs)))


def percentile(values: Sequence[float], percent: float) -> float:
    """The smallest value that at least `percent` of the values do not exceed (nearest rank)."""
    if not values:
        raise ValueError("no values")
    rank = math.ceil(len(values) * percent / 100)
    return sorted(values)[max(rank, 1) - 1]
