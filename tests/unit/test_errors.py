"""Who must act on an exception is told by its class."""

import pytest

from voiced import errors
from voiced.errors import CallError, EngineFailed, Refused, Stale, VoicedError

pytestmark = pytest.mark.unit


def test_everything_that_is_raised_on_purpose_has_one_root() -> None:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type)]

    assert kinds
    assert all(issubclass(kind, VoicedError) for kind in kinds)


def test_what_ends_a_call_or_a_turn_is_told_apart_from_what_ends_the_daemon() -> None:
    kinds = {kind for kind in CallError.__subclasses__() if kind.__module__ == errors.__name__}
    assert {Refused, EngineFailed, Stale} == kinds


def test_a_failure_of_an_engine_names_stage_and_reason() -> None:
    failure = EngineFailed("tts", "deadline passed")

    assert ("tts: deadline passed", "tts", "deadline passed") == (
        str(failure),
        failure.stage,
        failure.reason,
    )


def test_a_refusal_carries_what_http_needs() -> None:
    refusal = Refused(503, "full", "every line is taken", 30)

    assert (503, "full", "every line is taken", 30) == (
        refusal.status,
        refusal.kind,
        str(refusal),
        refusal.retry_after_s,
    )
