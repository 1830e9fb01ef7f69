"""A plan that does not fit says by how much, and three ways in which it would."""

import re
from collections.abc import Mapping
from dataclasses import replace

import pytest

from voiced.config.settings import Llm, Settings, Stt, Tts
from voiced.daemon.fit import short_here, short_on_card
from voiced.daemon.plan import Plan

pytestmark = pytest.mark.unit

CELL = 147_456
"""Bytes of a token in the cache of a model of 8 billion parameters."""

SETTINGS = Settings(
    llm=Llm(device="cuda", slots=16, context_tokens=8192),
    stt=Stt(device="cuda"),
    tts=Tts(device="cuda"),
)


def planned(settings: Settings, **more: int) -> Plan:
    cache = round(settings.llm.slots * settings.llm.context_tokens * CELL / 1_000_000)
    card = {"ears": 2600, "brain": 9300, "brain: cache": cache, "voice": 2147, "CUDA": 1200, **more}
    return Plan({"vad": 20}, card, frozenset({"voice"}), CELL)


def ways(sentence: str | None) -> list[str]:
    assert sentence is not None
    return re.findall(r"\(\d\) ([^;]+)", sentence)


def test_what_fits_is_not_spoken_of() -> None:
    plan = planned(SETTINGS)

    assert short_on_card(plan, SETTINGS, plan.card_needed_mb) is None
    assert short_here(plan, SETTINGS, 21) is None


def test_a_card_that_is_too_small_is_told_what_is_missing_and_three_ways() -> None:
    plan = planned(SETTINGS)
    told = short_on_card(plan, SETTINGS, 25_000)
    missing = plan.card_needed_mb - 25_000

    assert told is not None
    assert f"{plan.card_needed_mb} MB are needed and 25000 MB are free on the card" in told
    assert f"{missing} MB are missing" in told
    assert 3 == len(ways(told))


@pytest.mark.parametrize("free_mb", [18_000, 25_000, 36_000])
def test_the_slots_and_the_tokens_that_are_named_do_fit(free_mb: int) -> None:
    for way in ways(short_on_card(planned(SETTINGS), SETTINGS, free_mb)):
        found = re.match(r"llm\.(slots|context_tokens) = (\d+) in the place of", way)
        if found:
            changed: Mapping[str, int] = {found.group(1): int(found.group(2))}
            tried = replace(SETTINGS, llm=replace(SETTINGS.llm, **changed))
            assert short_on_card(planned(tried), tried, free_mb) is None


def test_voices_move_off_the_card_only_where_that_is_enough() -> None:
    plan = planned(SETTINGS)

    assert any("tts.device" in way for way in ways(
        short_on_card(plan, SETTINGS, plan.card_needed_mb - 2000)
    ))  # fmt: skip
    assert not any("tts.device" in way for way in ways(
        short_on_card(plan, SETTINGS, plan.card_needed_mb - 9000)
    ))  # fmt: skip


def test_where_no_cache_would_fit_other_ways_are_named() -> None:
    found = ways(short_on_card(planned(SETTINGS), SETTINGS, 8000))

    assert 3 == len(found)
    assert not any("slots" in way for way in found)


def test_the_machine_s_memory_is_another_s_matter() -> None:
    told = short_here(
        Plan({"brain": 9000, "brain: cache": 4000}, {}, frozenset(), CELL), SETTINGS, 100
    )

    assert told is not None
    assert "on this machine" in told
    assert "nvidia-smi" not in told
