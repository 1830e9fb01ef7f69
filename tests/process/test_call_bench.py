"""`voiced bench call` on fake models, once: what holds on a busy machine too."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.process, pytest.mark.timeout(180)]


def bench(*more: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "voiced", "bench", "call", "--fake-models", "--json", *more]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("report") / "calls.html"


@pytest.fixture(scope="module")
def measured(page: Path) -> dict[str, Any]:
    done = bench("--calls", "2", "--rounds", "1", "--gate", "5000", "--page", str(page))
    assert 0 == done.returncode, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_every_question_is_answered_once_it_is_over(measured: dict[str, Any]) -> None:
    """Also the one with a pause in its middle: its beginning promises more."""
    assert (2, 10, 0, 0) == tuple(measured[key] for key in ("calls", "turns", "failed", "early"))


def test_a_murmur_costs_no_word_of_the_reply(measured: dict[str, Any]) -> None:
    assert (2, 2) == (measured["resumed"], measured["resumed_whole"])


def test_stop_silences_the_agent_for_good(measured: dict[str, Any]) -> None:
    assert 2 == measured["barge_in_ms"]["count"]
    assert measured["duck_ms"]["p50"] < measured["hold_ms"]["p50"] < 600


def test_a_reply_that_is_cut_is_silent_when_its_caller_is_told(measured: dict[str, Any]) -> None:
    assert 4 == measured["cancel_ms"]["count"]
    assert measured["cancel_ms"]["p95"] < 300


def test_the_wait_is_never_below_what_the_engines_take(measured: dict[str, Any]) -> None:
    assert 300 <= measured["over_ms"]["p50"]
    assert 96 + 310 <= measured["likely_over_and_compute_ms"]["p50"]
    assert measured["likely_over_and_compute_ms"]["p50"] < measured["voice_to_voice_ms"]["p50"]


def test_the_page_was_written(measured: dict[str, Any], page: Path) -> None:
    assert page.read_text(encoding="utf-8").count("interruption") == measured["calls"]


def test_a_gate_that_nobody_keeps_fails_and_lost_packets_fail_nobody() -> None:
    done = bench("--rounds", "1", "--gate", "100", "--loss", "3", "--jitter", "20")

    found = json.loads(done.stdout)
    assert (1, False, 0) == (done.returncode, found["kept"], found["failed"])
