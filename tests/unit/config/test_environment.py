"""What the environment says, and what it tells the libraries."""

import os
from pathlib import Path

import pytest

from voiced.config.environment import credentials_dir, notify_socket, silence_libraries

pytestmark = pytest.mark.unit


def test_no_library_may_look_anything_up_at_a_model_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HF_HUB_OFFLINE", "ORT_DISABLE_TELEMETRY"):
        monkeypatch.setenv(name, "0")
    silence_libraries()

    assert ("1", "1") == (os.environ["HF_HUB_OFFLINE"], os.environ["ORT_DISABLE_TELEMETRY"])


def test_outside_a_unit_systemd_has_told_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    monkeypatch.delenv("CREDENTIALS_DIRECTORY", raising=False)

    assert (None, None) == (notify_socket(), credentials_dir())


def test_in_a_unit_the_places_are_systemd_s(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", "/run/systemd/notify")
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", "/run/credentials/voiced.service")

    assert ("/run/systemd/notify", Path("/run/credentials/voiced.service")) == (
        notify_socket(),
        credentials_dir(),
    )
