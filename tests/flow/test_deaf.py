"""A whole call whose detector fails, and one whose inbox is flooded."""

import pytest

from tests.flow.test_call import FIXED, FRAME_S, Stage, one_question, play
from voiced.call.wires import INBOX
from voiced.rtc.facts import Received
from voiced.testing.fakes import tone
from voiced.testing.stage import NAME
from voiced.tts.fixed import FixedLine
from voiced.turn.orders import Line
from voiced.words import Words

pytestmark = pytest.mark.flow

LINES = {
    **FIXED,
    Line.DEVICE_LOST: FixedLine(Words("I cannot hear you any more."), tone(0.8, level=4000)),
}


def test_a_caller_who_can_be_heard_no_more_is_told_and_the_call_ends() -> None:
    async def script(stage: Stage) -> None:
        await stage.until(3.0)
        stage.vad.fail(NAME, 3.0)
        await stage.until(20.0)

    stage = play(script, [], [], lines=LINES)

    said = [at for at, level in stage.levels if level == 4000]
    assert (3.0, 0.8) == (
        pytest.approx(said[0], abs=2 * FRAME_S),
        pytest.approx(len(said) * FRAME_S),
    )
    assert "left" == stage.ended
    assert [] == stage.unexpected


def test_a_program_that_floods_its_call_loses_none_of_the_callers_words() -> None:
    """All at once, and in the middle of the caller's sentence."""

    async def script(stage: Stage) -> None:
        await stage.until(2.5)
        for _ in range(3 * INBOX):
            stage.inbox.put(Received(2.5, Words("{}")))
        stage.vad.begin(NAME, 2.5)
        await stage.until(3.6)
        for _ in range(3 * INBOX):
            stage.inbox.put(Received(2.5, Words("{}")))
        stage.vad.end(NAME, 3.5, 1.0)
        await stage.until(9.0)

    stage = play(script, ["When can I visit?"], ["At ten."])

    assert ["At ten."] == [turn.reply.reveal() for turn in stage.turns()]
    assert 4 * INBOX <= stage.inbox.dropped


def test_an_ordinary_call_loses_nothing() -> None:
    assert 0 == play(one_question, ["When can I visit?"], ["At ten."]).inbox.dropped
