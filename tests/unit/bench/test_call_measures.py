"""From what callers took down to the figures of `voiced bench call`."""

from dataclasses import replace

import pytest

from voiced.bench.call_measures import Due, figures, kept, terms
from voiced.bench.call_script import Answered, Scene, SpokenOver, Taken

pytestmark = pytest.mark.unit


def leg(waited_ms: float, spent_ms: float) -> dict[str, float]:
    return {"waited_ms": waited_ms, "spent_ms": spent_ms}


LEGS = {
    "network_in": leg(1, 1),
    "likely_over": leg(120, 120),
    "endpoint_delay": leg(300, 300),
    "stt": leg(0, 105),
    "llm_ttft": leg(60, 130),
    "llm_first_clause": leg(65, 140),
    "tts_ttfb": leg(80, 80),
    "playout": leg(12, 12),
}
"""The pause at 120, all work done at 445, the first frame at 457."""

TURN = Answered(Scene.QUESTION, 480.0, early=False, legs=LEGS)
DUE = Due(over_ms=300.0, compute_ms=310.0)


def test_hand_offs_are_what_the_scripted_engines_and_the_frame_do_not_explain() -> None:
    """Due are 120 + 310 = 430 and a frame; the reply left at 457, of which 12 were the frame."""
    share = terms(TURN, DUE)

    assert share is not None
    assert 15.0 == pytest.approx(share.overhead_ms)


def test_a_reply_that_misses_its_frame_is_late_by_more_than_one() -> None:
    share = terms(replace(TURN, legs={**LEGS, "playout": leg(52, 52)}), DUE)

    assert share is not None
    assert 15.0 + 32.0 == pytest.approx(share.overhead_ms)


def test_a_pause_that_is_noticed_late_is_a_hand_off_too() -> None:
    """176 ms where the detector's windows explain 156: 20 of them, the engines as they were."""
    legs = {**LEGS, "likely_over": leg(176, 176), "tts_ttfb": leg(136, 80)}
    share = terms(replace(TURN, legs=legs), DUE)

    assert share is not None
    assert 15.0 + 20.0 == pytest.approx(share.overhead_ms)


def test_real_engines_are_taken_at_their_own_word() -> None:
    share = terms(TURN, None)

    assert share is not None
    assert (300.0, 445.0) == (share.over_ms, share.likely_and_compute_ms)
    assert 0.0 == pytest.approx(share.overhead_ms)
    assert 35.0 == pytest.approx(share.beyond_ms)


def test_a_turn_without_its_account_has_no_terms() -> None:
    assert terms(replace(TURN, legs={}), DUE) is None


def test_the_keys_of_the_contract_are_there() -> None:
    call = Taken(30.0, [TURN], [SpokenOver(Scene.INTERRUPTION, None, 310.0)])

    found = figures([call], DUE)

    assert 1 == found["calls"]
    assert {"p50": 480.0, "p95": 480.0, "count": 1} == found["voice_to_voice_ms"]
    assert {"p50": 310.0, "p95": 310.0, "count": 1} == found["barge_in_ms"]
    assert {"p50": 15.0, "p95": 15.0, "count": 1} == found["overhead_ms"]
    assert 0 == found["failed"]


def test_a_turn_without_a_reply_and_a_call_that_broke_have_failed() -> None:
    silent = replace(TURN, voice_to_voice_ms=None)

    found = figures([Taken(30.0, [silent]), Taken(lost="ConnectionError")], DUE)

    assert 2 == found["failed"]


def test_an_agent_that_spoke_into_the_question_is_not_fast() -> None:
    found = figures([Taken(30.0, [replace(TURN, voice_to_voice_ms=5.0, early=True)])], DUE)

    assert ({"count": 0}, 1) == (found["voice_to_voice_ms"], found["early"])


def test_a_murmur_that_cost_a_word_is_counted() -> None:
    over = [SpokenOver(Scene.MURMUR, 90.0, 300.0, whole=whole) for whole in (True, False)]

    found = figures([Taken(30.0, [TURN], over)], DUE)

    assert (2, 1, {"count": 0}) == (found["resumed"], found["resumed_whole"], found["barge_in_ms"])


def test_a_refusal_tells_how_soon_a_cut_is_heard_and_nothing_of_holding() -> None:
    over = [SpokenOver(Scene.REFUSAL, 90.0, 420.0, cancel_ms=18.0)]

    found = figures([Taken(30.0, [TURN], over)], DUE)

    assert {"p50": 18.0, "p95": 18.0, "count": 1} == found["cancel_ms"]
    assert {"count": 0} == found["hold_ms"] == found["barge_in_ms"]


@pytest.mark.parametrize(("most_ms", "is_kept"), [(480, True), (479, False)])
def test_a_gate_is_kept_by_95_percent_of_the_turns(most_ms: int, is_kept: bool) -> None:
    assert is_kept is kept([Taken(30.0, [TURN] * 3)], most_ms)


def test_no_gate_is_kept_by_a_call_that_failed_or_by_nobody() -> None:
    assert not kept([Taken(30.0, [TURN]), Taken(lost="UnavailableError")], 800)
    assert not kept([], 800)
