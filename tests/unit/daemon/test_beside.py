"""Sonic beside the daemon: a device of its own, and everybody is told who serves without it."""

import pytest

from voiced.daemon.beside import AWAY, saying, unfit
from voiced.gpu.card import find
from voiced.ops import notify
from voiced.ops.health import Health
from voiced.testing.nvml import FakeNvml

pytestmark = pytest.mark.unit


def test_a_slice_of_its_own_that_is_large_enough_will_do() -> None:
    nvml = FakeNvml(total_gb=80, slices=2)

    assert unfit(find(nvml, "MIG-1"), find(nvml, "MIG-0")) is None


def test_what_its_worker_holds_already_is_not_held_against_it() -> None:
    assert unfit(find(FakeNvml(total_gb=24, free_gb=1), "GPU-0"), None) is None


def test_the_daemon_s_own_card_is_refused() -> None:
    card = find(FakeNvml(total_gb=80), "GPU-0")

    assert "'GPU-0': it is the daemon's own" in str(unfit(card, card))


def test_too_small_a_slice_is_told_with_both_sizes() -> None:
    nvml = FakeNvml(total_gb=40, slices=2)
    told = str(unfit(find(nvml, "MIG-1"), find(nvml, "MIG-0")))

    assert "it has 20000 MB, and a worker needs 24000" in told


def test_while_it_cannot_speak_health_and_status_say_who_serves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nothing is shown before the daemon takes calls: READY comes with the whole sentence."""
    told: list[str] = []
    monkeypatch.setattr(notify, "status", told.append)
    health = Health()
    say = saying(health)
    say(False)
    assert [] == told

    health.why_not = None
    say(False)
    say(True)
    assert [f"ready; {AWAY}", "ready"] == told
    assert {} == health.alarms
