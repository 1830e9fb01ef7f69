"""What a soak must find: each assertion fails on a daemon that breaks it, and on no other."""

from dataclasses import replace
from typing import Any

import pytest

from voiced.testing.soak import Sample, Story
from voiced.testing.soak_page import Made, page
from voiced.testing.soak_watch import RINGS_MB, Footprint, Soaked, judged

pytestmark = pytest.mark.unit

IDLE = Footprint(calls=0, slots=0, tasks=12, threads=6, files=40, memory_mb=90)
TURN = {
    "event": "turn.ended",
    "turn": 1,
    "network_in_ms": 5.0,
    "endpoint_delay_ms": 300.0,
    "stt_ms": 0.0,
    "llm_ttft_ms": 10.0,
    "llm_first_clause_ms": 40.0,
    "tts_ttfb_ms": 20.0,
    "playout_ms": 10.0,
    "network_out_ms": 6.0,
    "reply_delay_ms": 370.0,
}
LOG: list[dict[str, Any]] = [{"event": "call.opened"}, TURN, {"event": "call.closed"}]


def soaked(**more: Any) -> Soaked:
    samples = [Sample(float(at), 3, 90.0, 4.0, 1.0) for at in range(40)]
    parts: dict[str, Any] = {
        "story": Story(samples=samples),
        "before": IDLE,
        "after": IDLE,
        "house": (12, 12),
    }
    return Soaked(**{**parts, **more})


def broken(one: Soaked, log: list[dict[str, Any]] | None = None, status: int = 0) -> list[str]:
    return [
        what for what, faults in judged(one, LOG if log is None else log, status).items() if faults
    ]


def test_a_daemon_that_is_well_breaks_nothing() -> None:
    assert [] == broken(soaked())


def test_memory_that_grows_is_found() -> None:
    grown = Story(samples=[Sample(float(at), 3, 90.0 + at, 4.0, 1.0) for at in range(40)])

    assert ["memory stays flat"] == broken(soaked(story=grown))


def test_memory_of_more_calls_is_no_growth() -> None:
    calls = [3 if at < 25 else 6 for at in range(40)]
    more = Story(
        samples=[Sample(float(at), n, 66.0 + 8 * n, 4.0, 1.0) for at, n in enumerate(calls)]
    )

    assert [] == broken(soaked(story=more))


def test_calls_that_are_just_closing_are_no_growth() -> None:
    samples = [Sample(float(at), 3, 90.0, 4.0, 1.0) for at in range(40)]
    samples[15] = replace(samples[15], calls=6, memory_mb=90.0 + 3 * RINGS_MB)
    samples[35] = replace(samples[35], calls=6, memory_mb=90.0 + 5 * RINGS_MB)

    assert [] == broken(soaked(story=Story(samples=samples)))


def test_a_slot_that_does_not_come_back_is_found() -> None:
    assert ["every slot returns"] == broken(soaked(after=replace(IDLE, slots=1)))
    assert ["every slot returns"] == broken(soaked(house=(11, 12)))


def test_a_task_or_a_file_that_stays_is_found() -> None:
    assert ["nothing is left behind"] == broken(soaked(after=replace(IDLE, files=41)))


def test_a_stranger_and_a_forgotten_turn_are_told_apart() -> None:
    samples = soaked().story.samples
    heard = Story(samples=samples, faults=["heard 5, who is another caller"])
    forgotten = Story(samples=samples, faults=["question was forgotten"])

    assert ["no caller hears another"] == broken(soaked(story=heard))
    assert ["every turn is answered or apologised for"] == broken(soaked(story=forgotten))


def test_a_line_that_is_lost_is_found() -> None:
    lost = Story(samples=soaked().story.samples, lost=["its line was lost"])

    assert ["lines hold"] == broken(soaked(story=lost))


def test_a_loop_that_does_not_answer_is_found() -> None:
    late = Story(samples=[Sample(float(at), 3, 90.0, 2500.0, 1.0) for at in range(40)])

    assert ["nothing hangs"] == broken(soaked(story=late))


def test_a_fault_in_the_log_and_a_bad_end_are_found() -> None:
    assert ["nothing fails inside"] == broken(soaked(), [*LOG, {"event": "call.failed"}])
    assert ["nothing fails inside"] == broken(soaked(), status=1)


def test_legs_that_do_not_add_up_and_calls_that_do_not_close_are_found() -> None:
    assert ["the ledger adds up"] == broken(soaked(), [{**TURN, "stt_ms": 50.0}])
    assert ["the ledger adds up"] == broken(soaked(), LOG[:2])


def test_the_page_needs_no_other_file_and_says_what_held() -> None:
    one = soaked()
    text = page(one, judged(one, LOG, 0), LOG, Made(2, 7))

    assert "Holds: 2 minutes of chaos, seed 7" in text
    assert "src=" not in text
    assert "href=" not in text
