"""What is counted of a conversation: each barge-in and each endpoint once, by kind."""

from collections import Counter

import pytest

from tests.unit.turn.test_machine import (
    BACKCHANNEL,
    FIRST,
    NEXT,
    PACE,
    QUESTION,
    STOP,
    Timeline,
    asked,
    deciding,
    held,
    overlapping,
    paused,
)
from voiced.call.tally import count
from voiced.ops import metrics
from voiced.turn.facts import EndScored, Final, Overheard, SpeechStarted, SpeechStopped, Timeout
from voiced.turn.machine import TurnMachine

pytestmark = pytest.mark.unit


def counted(timeline: Timeline) -> Counter[str]:
    """What a timeline adds to the counters."""
    before = _counters()
    machine = TurnMachine(PACE)
    for fact, _ in timeline:
        floor, take = machine.floor, machine.take
        machine.handle(fact)
        count(floor, take, fact, machine)
    return _counters() - before


def _counters() -> Counter[str]:
    kinds = ("resumed", "cancelled", "long", "sure", "between", "unsure", "unscored")
    return Counter(
        {
            kind: int(
                metrics.BARGE_INS.labels(kind)._value.get()
                + metrics.ENDPOINTS.labels(kind)._value.get()
            )
            for kind in kinds
        }
    )


@pytest.mark.parametrize(
    ("timeline", "kind"),
    [
        ([*deciding(), (Overheard(5.8, FIRST, BACKCHANNEL, asking=False), [])], "resumed"),
        ([*deciding(), (Timeout(7.1), [])], "resumed"),
        (
            [
                *overlapping(),
                (SpeechStopped(5.1, 510, 0.1), []),
                (Overheard(5.3, FIRST, BACKCHANNEL, asking=False), []),
            ],
            "resumed",
        ),
        ([*deciding(), (Overheard(5.8, FIRST, STOP, asking=False), [])], "cancelled"),
        ([*held(), (Timeout(5.9), [])], "long"),
    ],
    ids=["words", "no words", "too short to hold", "stop", "long"],
)
def test_a_barge_in_is_counted_once_by_what_came_of_it(timeline: Timeline, kind: str) -> None:
    assert Counter({kind: 1, "sure": 1}) == counted(timeline)


def test_speech_that_goes_on_is_counted_when_it_is_decided() -> None:
    undecided: Timeline = [
        *deciding(),
        (SpeechStarted(5.7, 570), []),
        (Overheard(5.8, FIRST, BACKCHANNEL, asking=False), []),
    ]

    assert Counter({"sure": 1}) == counted(undecided)


@pytest.mark.parametrize(
    ("probability", "kind"), [(1.0, "sure"), (0.5, "between"), (0.0, "unsure")]
)
def test_an_endpoint_is_counted_by_how_sure_it_was(probability: float, kind: str) -> None:
    timeline: Timeline = [
        *paused(),
        (Final(3.2, FIRST, QUESTION), []),
        (EndScored(3.3, FIRST, probability), []),
        (Timeout(4.6), []),
    ]

    assert Counter({kind: 1}) == counted(timeline)


def test_an_endpoint_without_a_score_is_counted_as_that() -> None:
    assert Counter({"unscored": 1}) == counted([*paused(), (Timeout(4.6), [])])


def test_news_of_a_take_that_is_not_live_is_not_counted() -> None:
    late = (Overheard(3.6, NEXT, STOP, asking=False), [])

    assert Counter({"sure": 1}) == counted([*asked(), late])


@pytest.mark.parametrize(
    ("outcome", "end"),
    [("ended", Timeout(4.6)), ("resumed", SpeechStarted(3.4, 340))],
    ids=["ended", "resumed"],
)
def test_a_pause_is_scored_by_whether_the_turn_ended_in_it(
    outcome: str, end: Timeout | SpeechStarted
) -> None:
    scored: Timeline = [(Final(3.2, FIRST, QUESTION), []), (EndScored(3.3, FIRST, 0.3), [])]
    name, labels = "voiced_endpoint_score_sum", {"outcome": outcome}
    before = metrics.REGISTRY.get_sample_value(name, labels) or 0.0

    counted([*paused(), *scored, (end, [])])

    after = metrics.REGISTRY.get_sample_value(name, labels) or 0.0
    assert 0.3 == pytest.approx(after - before)
