"""What the two sides of `voiced bench turn` are judged by: waits and cut-offs. Pure.

An answer that was let out before the caller's last voiced sample cut the caller off; the first one
behind it is the endpoint. It does not know how anybody decided.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from voiced.bench.harness import percentile
from voiced.bench.turn_ours import Weighed
from voiced.config.settings import TurnPace
from voiced.turn.endpoint import Evidence, wait_s


@dataclass(frozen=True, slots=True)
class Outcome:
    """One side, one turn. Seconds of the recording."""

    ends: tuple[float, ...]
    """When it let an answer out."""
    voice_end: float
    pauses: int
    """Silences inside the turn."""

    @property
    def cut_offs(self) -> int:
        return sum(end < self.voice_end for end in self.ends)

    @property
    def wait_s(self) -> float | None:
        """From the last voiced sample to the endpoint; None: the caller was never answered."""
        return next((end - self.voice_end for end in self.ends if end >= self.voice_end), None)


@dataclass(frozen=True, slots=True)
class Truth:
    """One pause that was weighed, and what the caller did in truth."""

    weighed: Weighed
    resumes_at: float | None
    """When the caller went on; None: never."""
    voice_end: float
    """The last voiced sample before the pause, by energy."""


def cut_off_rate(outcomes: Sequence[Outcome]) -> float:
    """Cut-offs for each silence inside a turn."""
    pauses = sum(outcome.pauses for outcome in outcomes)
    return round(sum(outcome.cut_offs for outcome in outcomes) / max(pauses, 1), 4)


def delays_ms(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """`p50` and `p95` of the endpoints' delays."""
    waits = [wait * 1000 for outcome in outcomes if (wait := outcome.wait_s) is not None]
    if not waits:
        return {}
    return {"p50": round(percentile(waits, 50)), "p95": round(percentile(waits, 95))}


def curve(truths: Sequence[Truth], pace: TurnPace) -> list[dict[str, float | int]]:
    """Wait against cut-offs, for ceilings up to that of `pace`: what a site gets for patience."""
    ceilings = range(pace.endpoint_delay_ms, max(pace.endpoint_ceiling_ms, 2000) + 1, 100)
    return [_point(truths, replace(pace, endpoint_ceiling_ms=ceiling)) for ceiling in ceilings]


def _point(truths: Sequence[Truth], pace: TurnPace) -> dict[str, float | int]:
    waits, cut, inside = [], 0, 0
    for truth in truths:
        weighed = truth.weighed
        evidence = Evidence(weighed.words, weighed.probability)
        end = max(weighed.paused_at + wait_s(evidence, pace), weighed.scored_at)
        if truth.resumes_at is None:
            waits.append((end - truth.voice_end) * 1000)
        else:
            inside += 1
            cut += end < truth.resumes_at
    return {
        "ceiling_ms": pace.endpoint_ceiling_ms,
        "p50": round(percentile(waits, 50)) if waits else 0,
        "p95": round(percentile(waits, 95)) if waits else 0,
        "cut_off_rate": round(cut / max(inside, 1), 4),
    }
