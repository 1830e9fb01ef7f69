"""Marks of one turn, and the legs of its latency ledger. Pure.

Each leg has two numbers: what the caller waited for it, and what was spent on it. They differ where
work ran in the shadow of other work; in that case the later mark waits from the earlier one's end.

    last voiced sample | over | final text | first clause | first sound | first frame sent
       endpoint_delay  | stt  | llm_first_clause | tts_ttfb | playout
"""

from dataclasses import dataclass
from enum import StrEnum, auto


class Mark(StrEnum):
    """An instant of a turn, in the order in which they come."""

    VOICED = auto()  # the caller's last voiced sample
    OVER = auto()  # the endpoint was decided
    FINAL = auto()  # the final transcript was there
    TOKEN = auto()  # the first token of the reply
    CLAUSE = auto()  # the first clause that can be spoken
    SOUND = auto()  # the first sound of it
    SENT = auto()  # the first frame of it left


@dataclass(frozen=True, slots=True)
class Leg:
    """One leg, in ms."""

    waited_ms: float
    """What it added to the caller's wait."""
    spent_ms: float
    """What the work took."""


_LEGS = (
    ("endpoint_delay", Mark.VOICED, Mark.OVER),
    ("stt", Mark.OVER, Mark.FINAL),
    ("llm_ttft", Mark.FINAL, Mark.TOKEN),
    ("llm_first_clause", Mark.FINAL, Mark.CLAUSE),
    ("tts_ttfb", Mark.CLAUSE, Mark.SOUND),
    ("playout", Mark.SOUND, Mark.SENT),
)


class Stopwatch:
    """The marks of one take."""

    def __init__(self) -> None:
        self._marks: dict[Mark, float] = {}

    def mark(self, mark: Mark, at: float) -> None:
        """Sets a mark; the first time counts."""
        self._marks.setdefault(mark, at)

    def legs(self, network_in_ms: float = 0.0, network_out_ms: float = 0.0) -> dict[str, Leg]:
        """Every leg whose two marks are set, and the network's as they were measured."""
        legs = {"network_in": Leg(network_in_ms, network_in_ms)}
        for name, begin, end in _LEGS:
            if begin in self._marks and end in self._marks:
                spent_ms = (self._marks[end] - self._marks[begin]) * 1000
                legs[name] = Leg(max(spent_ms, 0.0), max(spent_ms, 0.0))
        legs["network_out"] = Leg(network_out_ms, network_out_ms)
        return legs

    def reply_delay_ms(self) -> float | None:
        """Last voiced sample captured to first frame sent; None for a turn that has not both."""
        if Mark.VOICED in self._marks and Mark.SENT in self._marks:
            return (self._marks[Mark.SENT] - self._marks[Mark.VOICED]) * 1000
        return None
