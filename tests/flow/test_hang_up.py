"""Callers who are gone at awkward instants."""

import gc

import pytest

from tests.flow.test_call import play
from voiced.testing.stage import NAME, Stage

pytestmark = pytest.mark.flow


def test_who_hangs_up_in_the_instant_of_a_pause_leaves_no_work_behind() -> None:
    """Work that was ordered and never begun is closed: else Python warns of it, late and anywhere.

    Here a warning is an error.
    """

    async def script(stage: Stage) -> None:
        await stage.until(2.0)
        stage.vad.begin(NAME, 1.9)
        await stage.until(3.0)
        stage.vad.end(NAME, 2.9, 1.0)

    stage = play(script, ["Where is it?"], [])
    gc.collect()

    assert ("hangup", []) == (stage.ended, stage.llm.histories)
