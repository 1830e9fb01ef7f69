"""How often somebody may ask: a bucket for each subject, which fills again with time. Pure.

It is told the time, and does not know whether a subject is a key or an address.
"""

from collections import OrderedDict

_MOST_SUBJECTS = 10_000
"""The subject that has been silent for the longest goes first; its bucket would be full again."""

_MINUTE_S = 60.0


class Rate:
    """So many requests a minute for each subject, and as many at once after a minute of none."""

    def __init__(self, per_minute: int) -> None:
        """0: any number."""
        self._per_minute = per_minute
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """What is left in each, and when that was so."""

    def __len__(self) -> int:
        return len(self._buckets)

    def take(self, subject: str, at: float) -> float:
        """Counts a request; 0.0 when it may go on, else the seconds after which one may."""
        if not self._per_minute:
            return 0.0
        left, since = self._buckets.pop(subject, (float(self._per_minute), at))
        left = min(left + (at - since) * self._per_minute / _MINUTE_S, float(self._per_minute))
        granted = left >= 1.0
        self._buckets[subject] = left - granted, at
        if len(self._buckets) > _MOST_SUBJECTS:
            self._buckets.popitem(last=False)
        return 0.0 if granted else (1.0 - left) * _MINUTE_S / self._per_minute
