"""Windows and limits."""

from typing import Any

import pytest

from voiced.errors import ConfigError
from voiced.stt import windows

pytestmark = pytest.mark.unit

FACTS: dict[str, Any] = {
    "languages": ["en", "ko"],
    "window_s": {"en": [9, 12, 16, 20, 30]},
    "tokens_per_s": {"en": 9},
}
WHISPER = windows.read(FACTS)


@pytest.mark.parametrize(
    ("seconds", "window_s"),
    [(0.3, 9), (8.0, 9), (8.1, 12), (11.0, 12), (11.1, 16), (15.1, 20), (19.1, 30), (28.0, 30)],
)
def test_the_shortest_window_with_padding_enough_is_taken(seconds: float, window_s: int) -> None:
    """At least a second of padding, where the full window has them."""
    assert window_s == WHISPER.choose(seconds, "en")


def test_a_language_that_was_not_tried_gets_the_full_window() -> None:
    assert 30 == WHISPER.choose(1.0, "ko")


def test_nobody_speaks_more_tokens_than_the_limit() -> None:
    assert 26 == WHISPER.limit(2.0, "en")


def test_the_limit_is_never_above_the_models_own() -> None:
    assert 224 == WHISPER.limit(28.0, "en")


def test_a_language_without_a_measured_pace_has_no_limit_of_its_own() -> None:
    assert 224 == WHISPER.limit(1.0, "ko")


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"window_s": {"en": [31]}}, "window_s"),
        ({"window_s": {"en": "8"}}, "window_s"),
        ({"tokens_per_s": {"en": 0}}, "tokens_per_s"),
        ({"languages": ["english"]}, "languages"),
        ({"windows": 8}, "windows"),
    ],
)
def test_wrong_facts_are_named(change: dict[str, Any], named: str) -> None:
    with pytest.raises(ConfigError, match=named):
        windows.read({**FACTS, **change})
