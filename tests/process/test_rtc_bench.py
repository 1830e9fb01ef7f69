"""`voiced bench rtc`, once and with few calls: the bars that hold on a busy machine too."""

import json
import subprocess
import sys
from typing import Any

import pytest

pytestmark = [pytest.mark.process, pytest.mark.timeout(120)]


@pytest.fixture(scope="module")
def measured() -> dict[str, Any]:
    command = ["bench", "rtc", "--json", "--rounds", "1", "--calls", "4"]
    done = subprocess.run(
        [sys.executable, "-m", "voiced", *command], capture_output=True, text=True, check=True
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_sound_is_heard_at_once_also_after_a_loss(measured: dict[str, Any]) -> None:
    assert measured["added_ms_clean"] <= 15
    assert measured["added_ms_after_loss"] <= 15


def test_the_baseline_is_what_aiortc_is_known_to_be(measured: dict[str, Any]) -> None:
    """A receive buffer of four packets, and of sixteen once one was lost: not starved by us."""
    assert 80 < measured["stock_added_ms_clean"] < 130
    assert 240 < measured["stock_added_ms_after_loss"] < 360


def test_a_call_costs_less_than_it_does_with_the_stock_parts(measured: dict[str, Any]) -> None:
    assert 0 < measured["cpu_percent_per_call"] < 0.75 * measured["stock_cpu_percent_per_call"]
    assert 4 == measured["calls"]
