"""The legs of a turn, from its marks."""

import pytest

from voiced.call.stopwatch import Leg, Mark, Stopwatch

pytestmark = pytest.mark.unit


def test_each_leg_is_the_time_between_its_marks() -> None:
    watch = Stopwatch()
    for mark, at in zip(Mark, [1.0, 1.5, 1.7, 1.8, 1.9, 2.0, 2.02], strict=True):
        watch.mark(mark, at)

    expected = {
        "network_in": 10.0,
        "endpoint_delay": 500.0,
        "stt": 200.0,
        "llm_ttft": 100.0,
        "llm_first_clause": 200.0,
        "tts_ttfb": 100.0,
        "playout": 20.0,
        "network_out": 30.0,
    }
    legs = watch.legs(network_in_ms=10.0, network_out_ms=30.0)
    assert expected == pytest.approx({name: leg.waited_ms for name, leg in legs.items()})
    assert 1020.0 == pytest.approx(watch.reply_delay_ms())


def test_the_first_time_of_a_mark_counts() -> None:
    """Every piece of a reply marks the first token; only the first is it."""
    watch = Stopwatch()
    watch.mark(Mark.FINAL, 1.0)
    watch.mark(Mark.TOKEN, 1.2)
    watch.mark(Mark.TOKEN, 1.9)

    assert 200.0 == pytest.approx(watch.legs()["llm_ttft"].waited_ms)


def test_a_leg_without_both_marks_is_left_out() -> None:
    watch = Stopwatch()
    watch.mark(Mark.VOICED, 1.0)

    assert {"network_in": Leg(0.0, 0.0), "network_out": Leg(0.0, 0.0)} == watch.legs()
    assert watch.reply_delay_ms() is None
