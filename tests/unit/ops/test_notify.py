"""What systemd is told, in its own words."""

import pytest

from systemd import daemon
from voiced.ops import notify

pytestmark = pytest.mark.unit


def test_systemd_is_told_each_phase(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(daemon, "notify", told.append)
    notify.status("loading")
    notify.ready()
    notify.stopping()

    assert ["STATUS=loading", "READY=1", "STOPPING=1"] == told


def test_outside_a_unit_nobody_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    notify.ready()
