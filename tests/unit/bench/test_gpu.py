"""The card's bench: the same clause alone and beside other work, and no figure without a card."""

import asyncio
from pathlib import Path

import pytest

from voiced.bench.gpu import Engines, compared, run
from voiced.bench.options import BenchOptions
from voiced.config.settings import Llm, Settings, Stt
from voiced.errors import UnavailableError
from voiced.testing import virtualtime

pytestmark = pytest.mark.unit


def test_without_a_card_there_is_no_figure_and_the_stages_are_named() -> None:
    settings = Settings(stt=Stt(device="cuda"), llm=Llm())

    with pytest.raises(UnavailableError, match="llm, tts not on a card"):
        run(BenchOptions(settings=settings, speech=Path("-")))


def test_the_clause_beside_other_work_is_compared_with_itself_alone() -> None:
    """The first pair warms up, and is not counted; the other work is over before the next."""
    at_work = 0
    sounds: list[int] = []

    async def work() -> None:
        nonlocal at_work
        at_work += 1
        await asyncio.sleep(5.0)
        at_work -= 1

    async def first_sound() -> float:
        sounds.append(at_work)
        seconds = (0.5 if len(sounds) <= 2 else 0.1) * (1 + at_work)
        await asyncio.sleep(seconds)
        return seconds

    found = virtualtime.run(compared(Engines(first_sound, (work, work)), 3))

    assert [0, 2] * 4 == sounds
    assert 3.0 == found["first_chunk_ratio"]
    assert {"p50": 100.0, "p95": 100.0} == found["first_chunk_alone_ms"]
