"""What systemd is told, in its own words."""

import os
import socket

import pytest

from systemd import daemon
from voiced.ops import notify

pytestmark = pytest.mark.unit


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    lines: list[str] = []
    monkeypatch.setattr(daemon, "notify", lines.append)
    return lines


def test_systemd_is_told_each_phase(told: list[str]) -> None:
    notify.status("warming")
    notify.ready()
    notify.alive()

    assert ["STATUS=warming", "READY=1", "WATCHDOG=1"] == told


def test_each_stage_of_a_start_asks_for_time_of_its_own(told: list[str]) -> None:
    """A slow start goes on for as long as stages end; one that hangs is given no more."""
    notify.loading("loading whisper")

    assert ["STATUS=loading whisper\nEXTEND_TIMEOUT_USEC=900000000"] == told


def test_a_drain_asks_for_time_again_and_again(told: list[str]) -> None:
    notify.stopping()
    notify.still_stopping()

    assert ["STOPPING=1\nEXTEND_TIMEOUT_USEC=30000000", "EXTEND_TIMEOUT_USEC=30000000"] == told


def test_a_reload_says_when_it_began(told: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Newer systemd (notify-reload) asks for the instant; older ones ignore it."""
    monkeypatch.setattr(notify, "now", lambda: 1.5)
    notify.reloading()

    assert ["RELOADING=1\nMONOTONIC_USEC=1500000"] == told


def test_outside_a_unit_nobody_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    notify.ready()


def test_without_a_socket_unit_there_is_no_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LISTEN_FDS", raising=False)

    assert notify.given_socket() is None


def test_the_socket_of_the_socket_unit_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as opened:
        given = {os.dup(opened.fileno()): "https"}
        monkeypatch.setattr(daemon, "listen_fds_with_names", lambda: given)
        taken = notify.given_socket()

        assert taken is not None
        with taken:
            assert opened.getsockname() == taken.getsockname()
