"""What the journal gets of a line: all of it, and fields that an operator searches by."""

import json
import logging
from collections.abc import Iterator

import pytest

from voiced.ops import log
from voiced.ops.journal import JournalHandler, fields

pytestmark = pytest.mark.unit


def _line(**values: object) -> str:
    return json.dumps({"at": "2026-01-01T00:00:00.000+00:00", "level": "info", **values})


def test_a_line_can_be_found_by_its_event_and_its_call() -> None:
    line = _line(event="turn.ended", call="c4ll", turn=3)

    assert [
        f"MESSAGE={line}",
        "PRIORITY=6",
        "SYSLOG_IDENTIFIER=voiced",
        "EVENT=turn.ended",
        "CALL_ID=c4ll",
        "TURN=3",
    ] == list(fields(line))


@pytest.mark.parametrize(
    ("level", "priority"), [("info", 6), ("warning", 4), ("error", 3), ("critical", 3)]
)
def test_the_level_is_syslog_s(level: str, priority: int) -> None:
    assert f"PRIORITY={priority}" in list(fields(_line(event="x", level=level)))


@pytest.fixture
def sent() -> Iterator[list[tuple[str, ...]]]:
    """What a handler with the log's own formatter sends of another library's logger."""
    lines: list[tuple[str, ...]] = []
    handler = JournalHandler(lambda *line: lines.append(line))
    handler.setFormatter(log._JsonLines())
    logger = logging.getLogger("a_library")
    logger.addHandler(handler)
    yield lines
    logger.removeHandler(handler)


def test_what_another_library_was_working_on_is_in_no_field(sent: list[tuple[str, ...]]) -> None:
    """Neither the arguments of its message nor what its exception says."""
    try:
        raise ValueError("my name is Ann")
    except ValueError:
        logging.getLogger("a_library").exception("heard %s", "my name is Ann")

    assert 1 == len(sent)
    assert not [field for field in sent[0] if "Ann" in field]
    assert "EVENT=library.warned" in sent[0]


def test_a_journal_that_is_away_does_not_fail_who_logs(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_line: str) -> None:
        raise OSError("no journal")

    monkeypatch.setattr(logging, "raiseExceptions", False)
    handler = JournalHandler(away)
    handler.setFormatter(log._JsonLines())
    handler.handle(logging.LogRecord("voiced", logging.INFO, "f.py", 1, "call.opened", (), None))
