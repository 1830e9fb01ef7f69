"""Marks of one turn, and the legs of its latency ledger. Pure.

Work on an answer begins when the caller pauses, and runs in the shadow of the endpoint: so each leg
has two numbers, what the work took and what it added to the caller's wait.

    voiced        paused   final   clause  sound      over   sent
      |-------------|- stt --|- llm --|- tts -|         |      |      spent
      |---------------- endpoint_delay -----------------|-play-|      waited
"""

from dataclasses import dataclass
from enum import StrEnum, auto

from voiced.ops.traces import Span


class Mark(StrEnum):
    """An instant of a turn."""

    VOICED = auto()  # the caller's last voiced sample
    PAUSED = auto()  # the pause was noticed, and work on the answer began
    FINAL = auto()  # the final transcript was there
    TOKEN = auto()  # the first token of the reply
    CLAUSE = auto()  # the first clause that can be spoken
    SOUND = auto()  # the first sound of it
    OVER = auto()  # the endpoint was decided
    SENT = auto()  # the first frame left


@dataclass(frozen=True, slots=True)
class Leg:
    """One leg, in ms."""

    waited_ms: float
    """What it added to the caller's wait."""
    spent_ms: float
    """What the work took."""


_WORK = (
    ("stt", Mark.PAUSED, Mark.FINAL),
    ("llm_first_clause", Mark.FINAL, Mark.CLAUSE),
    ("tts_ttfb", Mark.CLAUSE, Mark.SOUND),
)


class Stopwatch:
    """The marks of one take."""

    def __init__(self) -> None:
        self._marks: dict[Mark, float] = {}

    def mark(self, mark: Mark, at: float) -> None:
        """Sets a mark; the first time counts. Any thread."""
        self._marks.setdefault(mark, at)

    def legs(self, network_in_ms: float = 0.0, network_out_ms: float = 0.0) -> dict[str, Leg]:
        """Every leg whose marks are set, and the network's as they were measured.

        What was waited adds up to the time from VOICED to SENT; `llm_ttft` is a part of
        `llm_first_clause`, and `likely_over` one of `endpoint_delay`: they do not count again.
        """
        legs = {"network_in": Leg(network_in_ms, network_in_ms)}
        marks = self._marks
        if Mark.VOICED in marks and Mark.PAUSED in marks:
            voiced, paused = marks[Mark.VOICED], marks[Mark.PAUSED]
            legs["likely_over"] = _leg(voiced, voiced, paused)
        if Mark.VOICED in marks and Mark.OVER in marks:
            legs["endpoint_delay"] = _leg(marks[Mark.VOICED], marks[Mark.VOICED], marks[Mark.OVER])
        waiting = marks.get(Mark.OVER, 0.0)
        for name, begin, end in _WORK:
            if begin not in marks or end not in marks:
                continue
            if name == "llm_first_clause" and Mark.TOKEN in marks:
                legs["llm_ttft"] = _leg(marks[begin], waiting, marks[Mark.TOKEN])
            legs[name] = _leg(marks[begin], waiting, marks[end])
            waiting = max(waiting, marks[end])
        if Mark.SOUND in marks and Mark.SENT in marks:
            legs["playout"] = _leg(waiting, waiting, marks[Mark.SENT])
        legs["network_out"] = Leg(network_out_ms, network_out_ms)
        return legs

    def spans(self, ended_at: float) -> tuple[Span, ...]:
        """The turn as a trace has it, until the agent had spoken; and what lay within it.

        Nothing where the turn has no beginning.
        """
        marks = self._marks
        if Mark.VOICED not in marks:
            return ()
        voiced_at = marks[Mark.VOICED]
        released_at = max(marks.get(Mark.OVER, voiced_at), marks.get(Mark.SOUND, voiced_at))
        ends = (
            ("endpoint_delay", voiced_at, marks.get(Mark.OVER)),
            *((name, marks.get(begin, voiced_at), marks.get(end)) for name, begin, end in _WORK),
            ("llm_ttft", marks.get(Mark.FINAL, voiced_at), marks.get(Mark.TOKEN)),
            ("playout", released_at, marks.get(Mark.SENT)),
        )
        parts = (Span(name, begin, max(begin, end)) for name, begin, end in ends if end is not None)
        return (Span("turn", voiced_at, max(ended_at, voiced_at)), *parts)

    def reply_delay_ms(self) -> float | None:
        """Last voiced sample captured to first frame sent; None for a turn that has not both.

        What was sent before there was sound of the reply was a filler, and is none of it.
        """
        marks = self._marks
        if Mark.VOICED in marks and Mark.SENT in marks:
            sent = max(marks[Mark.SENT], marks.get(Mark.SOUND, 0.0))
            return (sent - marks[Mark.VOICED]) * 1000
        return None


def _leg(begin: float, waiting: float, end: float) -> Leg:
    """Work in [begin, end), of which the caller waits for what lies behind `waiting`."""
    return Leg(max(end - max(begin, waiting), 0.0) * 1000, max(end - begin, 0.0) * 1000)
