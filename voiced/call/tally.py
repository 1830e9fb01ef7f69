"""Counts how turns begin and end: barge-ins by what came of them, endpoints by how sure they were.

It does not know words.
"""

from voiced.ops import metrics
from voiced.turn.facts import Fact, Overheard, SpeechStarted, Timeout
from voiced.turn.machine import Floor, TurnMachine
from voiced.turn.take import Take

_SURE, _UNSURE = 0.75, 0.25


def count(before: Floor, take: Take, fact: Fact, machine: TurnMachine) -> None:
    """A fact was handled on the floor `before`, while `take` lived."""
    match before, fact:
        case Floor.PAUSING, Timeout() if machine.floor is not Floor.PAUSING:
            metrics.ENDPOINTS.labels(_sureness(machine.likely_over)).inc()
            _score("ended", machine.likely_over)
        case Floor.PAUSING, SpeechStarted():
            _score("resumed", machine.likely_over)
        case Floor.DECIDING, Timeout() if machine.floor is Floor.SPEAKING:
            metrics.BARGE_INS.labels("resumed").inc()
        case Floor.HOLDING, Timeout() if machine.floor is Floor.HEARING:
            metrics.BARGE_INS.labels("long").inc()
        case _, Overheard() if fact.take == take and machine.floor is not Floor.HOLDING:
            cut = machine.take != take
            metrics.BARGE_INS.labels("cancelled" if cut else "resumed").inc()
        case _:
            pass


def _score(outcome: str, probability: float | None) -> None:
    if probability is not None:
        metrics.ENDPOINT_SCORE.labels(outcome).observe(probability)


def _sureness(probability: float | None) -> str:
    """What the language model thought of the pause that ended a turn."""
    if probability is None:
        return "unscored"
    if probability >= _SURE:
        return "sure"
    return "unsure" if probability <= _UNSURE else "between"
