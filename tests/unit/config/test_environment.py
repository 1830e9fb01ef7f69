"""What the environment says, and what it tells the libraries."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from voiced.config.environment import (
    credentials_dir,
    in_journal,
    notify_socket,
    silence_libraries,
    watchdog_s,
)

pytestmark = pytest.mark.unit

ROOT = Path(__file__).resolve().parents[3]
LIBRARIES = ("onnxruntime", "faster_whisper", "huggingface_hub", "ctranslate2")


def test_no_library_may_look_anything_up_at_a_model_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HF_HUB_OFFLINE", "ORT_DISABLE_TELEMETRY"):
        monkeypatch.setenv(name, "0")
    silence_libraries()

    assert ("1", "1") == (os.environ["HF_HUB_OFFLINE"], os.environ["ORT_DISABLE_TELEMETRY"])


@pytest.mark.parametrize("module", ["voiced.vad.silero", "voiced.stt.whisper"])
def test_whoever_starts_the_process_the_libraries_are_silent_before_they_are_there(
    module: str,
) -> None:
    """A program of somebody else's, that imports a part of ours: no command of ours has run."""
    looking = f"""
import os, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name in {LIBRARIES}:
            told = [os.environ.get(one) for one in ("ORT_DISABLE_TELEMETRY", "HF_HUB_OFFLINE")]
            assert ["1", "1"] == told
            print(name)
sys.meta_path.insert(0, Finder())
import {module}
"""
    environment = {"PATH": os.environ["PATH"]}
    done = subprocess.run(
        [sys.executable, "-c", looking],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env=environment,
    )

    assert set(done.stdout.split()) & set(LIBRARIES)


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


def test_a_unit_s_watchdog_is_this_process_s_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", "10000000")
    monkeypatch.setenv("WATCHDOG_PID", str(os.getpid()))

    assert 10.0 == watchdog_s()


def test_another_process_s_watchdog_is_not_fed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A child inherits the environment, and must not vouch for its parent."""
    monkeypatch.setenv("WATCHDOG_USEC", "10000000")
    monkeypatch.setenv("WATCHDOG_PID", "1")

    assert watchdog_s() is None


def test_the_journal_is_known_by_its_stream(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The variable alone proves nothing: somebody may have sent the output elsewhere since."""
    with (tmp_path / "stream").open("w") as stream, (tmp_path / "other").open("w") as other:
        found = os.fstat(stream.fileno())
        monkeypatch.setenv("JOURNAL_STREAM", f"{found.st_dev}:{found.st_ino}")

        assert in_journal(stream.fileno())
        assert not in_journal(other.fileno())


def test_outside_a_unit_there_is_no_journal(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("JOURNAL_STREAM", raising=False)
    with (tmp_path / "stream").open("w") as stream:
        assert not in_journal(stream.fileno())
