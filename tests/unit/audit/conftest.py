"""An audit in a folder of the test's own, with a date that the test sets."""

import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from voiced.audit.chain import Key
from voiced.audit.folder import Folder
from voiced.audit.keys import Keys

KEYS = Keys(Key(b"k" * 32))


class Calendar:
    """A date that stands still until it is moved."""

    def __init__(self) -> None:
        self.at = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.at

    def pass_by(self, days: int) -> None:
        self.at += timedelta(days=days)


@pytest.fixture(autouse=True)
def _no_test_waits_for_a_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda _descriptor: None)


@pytest.fixture
def calendar() -> Calendar:
    return Calendar()


Opened = Callable[..., Folder]


@pytest.fixture
def opened(tmp_path: Path, calendar: Calendar) -> Opened:
    """The audit as a process that has just started finds it."""

    def open_it(keys: Keys = KEYS, retention_days: int = 731) -> Folder:
        folder = Folder(tmp_path / "audit", keys, retention_days, calendar)
        folder.open()
        return folder

    return open_it
