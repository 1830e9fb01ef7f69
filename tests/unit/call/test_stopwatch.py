"""The legs of a turn, from its marks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voiced.call.stopwatch import Leg, Mark, Stopwatch

pytestmark = pytest.mark.unit

IN_ORDER = {
    Mark.VOICED: 1.0,
    Mark.PAUSED: 1.1,
    Mark.FINAL: 1.25,
    Mark.TOKEN: 1.3,
    Mark.CLAUSE: 1.4,
    Mark.SOUND: 1.5,
}


def watch(marks: dict[Mark, float]) -> Stopwatch:
    stopwatch = Stopwatch()
    for mark, at in marks.items():
        stopwatch.mark(mark, at)
    return stopwatch


def waited(stopwatch: Stopwatch) -> dict[str, float]:
    return {name: leg.waited_ms for name, leg in stopwatch.legs().items()}


def test_work_in_the_shadow_of_the_endpoint_is_spent_and_not_waited_for() -> None:
    stopwatch = watch({**IN_ORDER, Mark.OVER: 1.6, Mark.SENT: 1.61})

    expected = {
        "endpoint_delay": 600,
        "stt": 0,
        "llm_first_clause": 0,
        "tts_ttfb": 0,
        "playout": 10,
    }
    parts = {"likely_over": 100, "llm_ttft": 0}
    assert {**expected, **parts, "network_in": 0, "network_out": 0} == pytest.approx(
        waited(stopwatch)
    )
    spent = {name: leg.spent_ms for name, leg in stopwatch.legs().items()}
    assert (150, 150, 100) == pytest.approx(
        (spent["stt"], spent["llm_first_clause"], spent["tts_ttfb"])
    )


def test_work_that_outlasts_the_endpoint_is_waited_for_from_there_on() -> None:
    """The endpoint comes in the middle of the language model's work."""
    stopwatch = watch({**IN_ORDER, Mark.OVER: 1.35, Mark.SENT: 1.52})

    legs = waited(stopwatch)
    assert (350, 0, 50, 100, 20) == pytest.approx(
        tuple(
            legs[name]
            for name in ("endpoint_delay", "stt", "llm_first_clause", "tts_ttfb", "playout")
        )
    )


@given(st.floats(1.1, 3.0))
def test_what_was_waited_adds_up_to_the_reply_s_delay(over: float) -> None:
    """Whenever the endpoint comes, no millisecond is counted twice or lost."""
    stopwatch = watch({**IN_ORDER, Mark.OVER: over, Mark.SENT: max(over, 1.5) + 0.02})

    legs = waited(stopwatch)
    del legs["llm_ttft"], legs["likely_over"]  # parts of other legs
    assert stopwatch.reply_delay_ms() == pytest.approx(sum(legs.values()))


def test_the_network_s_legs_are_those_that_were_measured() -> None:
    legs = Stopwatch().legs(network_in_ms=10.0, network_out_ms=30.0)

    assert {"network_in": Leg(10.0, 10.0), "network_out": Leg(30.0, 30.0)} == legs


def test_the_first_time_of_a_mark_counts() -> None:
    """Every piece of a reply marks the first token; only the first is it."""
    stopwatch = watch({**IN_ORDER, Mark.OVER: 1.2})
    stopwatch.mark(Mark.TOKEN, 9.9)

    assert 50.0 == pytest.approx(stopwatch.legs()["llm_ttft"].spent_ms)


def test_a_turn_without_an_answer_has_no_delay() -> None:
    assert watch({Mark.VOICED: 1.0}).reply_delay_ms() is None
