"""What a call leaves in the metrics: numbers of its turns, and nothing that tells it apart."""

import pytest

from tests.flow.test_call import one_question, play
from voiced.ops import metrics
from voiced.rtc.facts import Network
from voiced.testing.fakes import FakePeer

pytestmark = pytest.mark.flow

VOICE = "voiced_voice_to_voice_ms"


def value(name: str, labels: dict[str, str] | None = None) -> float:
    return metrics.REGISTRY.get_sample_value(name, labels or {}) or 0.0


def test_what_the_caller_waited_is_the_replys_delay_and_both_ways_of_the_line() -> None:
    names = (f"{VOICE}_sum", "voiced_reply_delay_ms_sum", f"{VOICE}_count")
    before = [value(name) for name in names]
    line = FakePeer(Network(rtt_ms=40.0, jitter_ms=5.0, lost_fraction=0.0))
    stage = play(one_question, ["When?"], ["At ten."], peer=line)
    waited, delay, turns = (value(name) - old for name, old in zip(names, before, strict=True))

    legs = stage.turns()[0].legs
    line_ms = legs["network_in"].waited_ms + legs["network_out"].waited_ms
    assert 1 == turns
    assert 45 == line_ms
    assert delay + line_ms == pytest.approx(waited)
    parts = ("llm_ttft", "likely_over")
    whole = [leg.waited_ms for name, leg in legs.items() if name not in parts]
    assert sum(whole) == pytest.approx(waited)
