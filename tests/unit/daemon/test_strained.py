"""Who learns that the daemon leaves something out."""

import pytest

from voiced.call.strain import Measure
from voiced.daemon.strained import saying
from voiced.ops import metrics, notify
from voiced.ops.health import Health

pytestmark = pytest.mark.unit

ALL = tuple(Measure)


def test_health_metric_and_status_say_what_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(notify, "status", told.append)
    health = Health()
    health.why_not = None
    say = saying(health)
    for measures in (ALL[:1], ALL[:2], ALL[:1], ()):
        say(measures)

    assert [
        "ready; turns are late, so left out: partials",
        "ready; turns are late, so left out: partials, speculation",
        "ready; turns are late, so left out: partials",
        "ready",
    ] == told
    assert ((), 0.0, None) == (health.left_out, metrics.LEFT_OUT._value.get(), health.refuses)


def test_a_daemon_that_refuses_calls_is_not_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notify, "status", lambda _sentence: None)
    health = Health()
    health.why_not = None
    say = saying(health)
    say(ALL[:3])
    three = health.refuses
    say(ALL)

    assert (None, "strained") == (three, health.refuses)
    say(())
