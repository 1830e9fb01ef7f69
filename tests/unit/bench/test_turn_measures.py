"""Waits and cut-offs."""

import pytest

from voiced.bench.turn_measures import Outcome, Truth, curve, cut_off_rate, delays_ms
from voiced.bench.turn_ours import Weighed
from voiced.config.settings import TurnPace
from voiced.words import Words

pytestmark = pytest.mark.unit

PACE = TurnPace(endpoint_delay_ms=300, endpoint_ceiling_ms=1200)


def test_an_answer_within_the_turn_cuts_the_caller_off() -> None:
    outcome = Outcome((1.5, 3.4), voice_end=3.0, pauses=2)

    assert 1 == outcome.cut_offs
    assert 0.4 == pytest.approx(outcome.wait_s)


def test_a_caller_who_is_never_answered_has_no_wait() -> None:
    outcome = Outcome((1.5,), voice_end=3.0, pauses=2)

    assert outcome.wait_s is None
    assert {} == delays_ms([outcome])


def test_the_rate_is_of_all_silences_inside_turns() -> None:
    turns = [Outcome((1.0, 3.5), 3.0, 3), Outcome((1.4,), 1.0, 0), Outcome((3.5,), 3.0, 1)]

    assert 0.25 == cut_off_rate(turns)


def test_turns_without_a_silence_cannot_be_cut() -> None:
    assert 0.0 == cut_off_rate([Outcome((1.4,), 1.0, 0)])


def test_delays_are_milliseconds_behind_the_voice() -> None:
    turns = [Outcome((end,), 1.0, 0) for end in (1.3, 1.5, 2.2)]

    assert {"p50": 500, "p95": 1200} == delays_ms(turns)


def test_patience_costs_wait_and_saves_cut_offs() -> None:
    doubtful = Words("I would like to see a doctor")
    truths = [
        Truth(Weighed(1.0, 1.4, doubtful, 0.0), 1.0 + 1.35, 1.0),
        Truth(Weighed(5.0, 5.4, doubtful, 0.0), None, 4.95),
    ]

    points = {point["ceiling_ms"]: point for point in curve(truths, PACE)}

    assert (1.0, 1250) == (points[1200]["cut_off_rate"], points[1200]["p50"])
    assert (0.0, 1450) == (points[1400]["cut_off_rate"], points[1400]["p50"])


def test_nobody_is_answered_before_the_end_was_weighed() -> None:
    sure = Truth(Weighed(1.0, 1.6, Words("I would like to see a doctor"), 1.0), None, 1.0)

    assert 600 == curve([sure], PACE)[0]["p50"]
