"""From what callers took down to the figures of `voiced bench call`. Pure.

    voice to voice = max(over, likely over + compute) + hand-offs + a frame + the way there and back

*over* is when the turn ended, *likely over* when the pause was noticed, *compute* what recogniser,
language model and voice took, all counted from the caller's last voiced sample. `overhead_ms` are
the hand-offs: what the daemon's reply came later than that maximum, but for the wait for the next
frame of 20 ms, and what the pause was noticed later than the detector's windows allow for. With
fake models the maximum is known; with real ones it is what they were seen to take, queues included.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from voiced.bench.call_script import Answered, Scene, SpokenOver, Taken
from voiced.bench.harness import percentile

WORK = ("stt", "llm_first_clause", "tts_ttfb")
WAITED = ("endpoint_delay", *WORK, "playout")
LEGS = ("network_in", "likely_over", "endpoint_delay", "stt", "llm_ttft", *WORK[1:], "playout")

FRAME_MS, WINDOW_MS, LOOK_MS = 20.0, 32.0, 8.0
NOTICED_MS = 96.0 + WINDOW_MS + LOOK_MS + FRAME_MS
"""Three windows of silence make a pause; the first begins within one, the last is judged at a look
of the detector's."""

ALLOWED_MS = 40.0
"""What may lie between the maximum and the caller's ear."""

Figures = dict[str, float]


@dataclass(frozen=True, slots=True)
class Due:
    """What the endpoint and the fake engines take, in ms."""

    over_ms: float
    compute_ms: float


@dataclass(frozen=True, slots=True)
class Terms:
    """One turn's share of the wait, in ms from the last voiced sample."""

    over_ms: float
    likely_and_compute_ms: float
    overhead_ms: float
    beyond_ms: float
    """Voice to voice behind the later of the two."""


def terms(turn: Answered, due: Due | None) -> Terms | None:
    """None for a turn whose account is not whole."""
    legs = turn.legs
    if turn.voice_to_voice_ms is None or not {"likely_over", *WAITED} <= set(legs):
        return None
    likely, over = legs["likely_over"]["spent_ms"], legs["endpoint_delay"]["waited_ms"]
    both = likely + sum(legs[name]["spent_ms"] for name in WORK)
    replied = sum(legs[name]["waited_ms"] for name in WAITED)
    frame = min(legs["playout"]["waited_ms"], FRAME_MS)
    if due is None:
        late = replied - max(over, both)
    else:
        late = replied - max(due.over_ms, likely + due.compute_ms) + max(likely - NOTICED_MS, 0.0)
    return Terms(over, both, max(late - frame, 0.0), turn.voice_to_voice_ms - max(over, both))


def figures(calls: Sequence[Taken], due: Due | None) -> dict[str, object]:
    """The keys of the contract and those that go with them; a key without a value has none."""
    turns = [turn for call in calls for turn in call.answered]
    waits = [t.voice_to_voice_ms for t in turns if t.voice_to_voice_ms is not None and not t.early]
    shares = [share for turn in turns if (share := terms(turn, due)) is not None]
    return {
        "calls": len(calls),
        "turns": len(turns),
        "voice_to_voice_ms": spread(waits),
        "legs": {name: spread(_waited(turns, name)) for name in LEGS},
        "spent": {name: spread(_spent(turns, name)) for name in WORK},
        "overhead_ms": spread(share.overhead_ms for share in shares),
        "over_ms": spread(share.over_ms for share in shares),
        "likely_over_and_compute_ms": spread(share.likely_and_compute_ms for share in shares),
        "beyond_ms": {**spread(share.beyond_ms for share in shares), "allowed": ALLOWED_MS},
        "failed": failed(calls),
        "early": sum(turn.early for turn in turns),
        **_overlaps([one for call in calls for one in call.over]),
        "connected_ms": spread(c.connected_ms for c in calls if c.connected_ms is not None),
    }


def failed(calls: Iterable[Taken]) -> int:
    """Turns without a reply, and calls that did not come to their end."""
    silent = sum(t.voice_to_voice_ms is None for call in calls for t in call.answered)
    return silent + sum(bool(call.lost) for call in calls)


def kept(calls: Sequence[Taken], most_ms: int) -> bool:
    """Nothing failed, and 95 % of the turns were answered within so many ms."""
    waits = [t.voice_to_voice_ms for call in calls for t in call.answered]
    heard = [wait for wait in waits if wait is not None]
    return not failed(calls) and bool(heard) and percentile(heard, 95) <= most_ms


def spread(values: Iterable[float]) -> Figures:
    """`p50`, `p95` and `count`; of nothing, no more than that there was nothing."""
    taken = list(values)
    if not taken:
        return {"count": 0}
    return {
        "p50": round(percentile(taken, 50), 1),
        "p95": round(percentile(taken, 95), 1),
        "count": len(taken),
    }


def _overlaps(over: Sequence[SpokenOver]) -> dict[str, object]:
    """Speech over the agent. Resumed: replies that a murmur held up, and those that were whole."""
    held = [one for one in over if one.scene is not Scene.REFUSAL]
    silenced = [one.silent_ms for one in held if one.silent_ms is not None]
    murmurs = [one for one in over if one.scene is Scene.MURMUR and one.whole is not None]
    return {
        "barge_in_ms": spread(_silenced(over)),
        "duck_ms": spread(one.duck_ms for one in over if one.duck_ms is not None),
        "hold_ms": spread(silenced),
        "cancel_ms": spread(one.cancel_ms for one in over if one.cancel_ms is not None),
        "resumed": len(murmurs),
        "resumed_whole": sum(one.whole is True for one in murmurs),
    }


def _silenced(over: Sequence[SpokenOver]) -> Iterator[float]:
    for one in over:
        if one.scene is Scene.INTERRUPTION and one.silent_ms is not None:
            yield one.silent_ms


def _waited(turns: Sequence[Answered], leg: str) -> Iterator[float]:
    return (turn.legs[leg]["waited_ms"] for turn in turns if leg in turn.legs)


def _spent(turns: Sequence[Answered], leg: str) -> Iterator[float]:
    return (turn.legs[leg]["spent_ms"] for turn in turns if leg in turn.legs)
