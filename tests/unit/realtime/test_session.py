"""Who ends a turn, with which patience: what a program may say of it, and what becomes of it."""

from typing import Any

import pytest

from tests.unit.realtime.conftest import AGENT
from voiced.call.parts import Casting
from voiced.config.settings import TurnPace
from voiced.realtime.session import Line, changed, detection, patience, present

pytestmark = pytest.mark.unit

PACE = TurnPace(endpoint_delay_ms=300, endpoint_ceiling_ms=1600)
SESSION = present(Casting(AGENT, "en"), "c4ll")


def pace(turn_detection: Any) -> tuple[tuple[int, int] | None, list[str]]:
    """Delay and ceiling that are granted, in ms; None where the program decides. And refusals."""
    wish = {"audio": {"input": {"turn_detection": turn_detection}}}
    session, refusals = changed(wish, SESSION, Line.OWN)
    found = patience(detection(session), PACE)
    told = (found.endpoint_delay_ms, found.endpoint_ceiling_ms) if found is not None else None
    return told, [one.message for one in refusals]


@pytest.mark.parametrize(
    ("turn_detection", "expected"),
    [
        ({"type": "semantic_vad"}, (300, 1600)),
        ({"type": "semantic_vad", "eagerness": "auto"}, (300, 1600)),
        ({"type": "semantic_vad", "eagerness": "medium"}, (300, 1600)),
        ({"type": "semantic_vad", "eagerness": "low"}, (600, 3200)),
        ({"type": "semantic_vad", "eagerness": "high"}, (300, 800)),
        ({"type": "server_vad"}, (500, 500)),
        ({"type": "server_vad", "silence_duration_ms": 200, "threshold": 0.5}, (200, 200)),
        (None, None),
    ],
)
def test_turn_detection_is_patience(turn_detection: Any, expected: tuple[int, int] | None) -> None:
    assert (expected, []) == pace(turn_detection)


@pytest.mark.parametrize(
    "turn_detection",
    [
        {"type": "other"},
        {},
        3,
        {"type": "server_vad", "silence_duration_ms": 99},
        {"type": "server_vad", "silence_duration_ms": 10_001},
        {"type": "server_vad", "silence_duration_ms": True},
        {"type": "server_vad", "threshold": 0.9},
        {"type": "server_vad", "eagerness": "low"},
        {"type": "server_vad", "idle_timeout_ms": 6000},
        {"type": "semantic_vad", "eagerness": "very"},
        {"type": "semantic_vad", "create_response": False},
        {"type": "semantic_vad", "interrupt_response": False},
    ],
)
def test_what_is_not_done_here_is_refused_and_changes_nothing(turn_detection: Any) -> None:
    granted, refusals = pace(turn_detection)

    assert ((300, 1600), 1) == (granted, len(refusals))


def test_the_session_shows_all_that_its_turn_detection_means() -> None:
    wish = {"audio": {"input": {"turn_detection": {"type": "server_vad"}}}}
    session, _ = changed(wish, SESSION, Line.OWN)

    assert {"type": "server_vad", "threshold": 0.5, "silence_duration_ms": 500}.items() <= dict(
        detection(session) or {}
    ).items()


@pytest.mark.parametrize("kind", ["audio/pcmu", "audio/pcma"])
def test_the_format_matters_where_sound_is_in_the_events(kind: str) -> None:
    wish = {"audio": {"output": {"format": {"type": kind}}}}

    assert [] == changed(wish, SESSION, Line.OWN)[1]
    assert ["session.audio.output.format"] == [
        one.param for one in changed(wish, SESSION, Line.EVENTS)[1]
    ]
