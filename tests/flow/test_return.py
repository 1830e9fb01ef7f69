"""A caller whose line is lost in the middle of a call, and who is back on another, or is not."""

import pytest

from tests.flow.test_call import FALLBACK_S, GREETING_S, play
from voiced.config.settings import Calls, Settings
from voiced.llm.model import Role
from voiced.rtc.facts import Connected, Lost
from voiced.testing.stage import NAME, Stage

pytestmark = pytest.mark.flow

ASKED = ["When can I visit?", "And on Sundays?"]
TOLD = ["You can visit every day until eight in the evening.", "On Sundays until six."]


async def lose(stage: Stage, at: float) -> None:
    await stage.until(at)
    stage.inbox.put(Lost(stage.now()))


async def come_back(stage: Stage, at: float) -> None:
    await stage.until(at)
    stage.inbox.put(Connected(stage.now()))


def test_the_conversation_goes_on_where_it_was() -> None:
    """The agent falls silent at once, is silent for as long as nobody is there, and then knows what
    was said before, as far as it was heard."""

    async def script(stage: Stage) -> None:
        await stage.speak(2.0, 3.0)
        await lose(stage, 5.0)
        await come_back(stage, 60.0)
        await stage.speak(61.0, 62.0)
        await stage.until(70.0)

    stage = play(script, ASKED, TOLD)
    history = stage.llm.histories[-1]

    assert [] == stage.audible(5.04, 62.0)
    assert "hangup" == stage.ended
    assert [Role.USER, Role.ASSISTANT, Role.USER] == [
        m.role for m in history if m.role != Role.SYSTEM
    ][-3:]
    assert [ASKED[0], ASKED[1]] == [m.text.reveal() for m in history if m.role is Role.USER]
    cut = [m.text.reveal() for m in history if m.role is Role.ASSISTANT][-1]
    assert TOLD[0].startswith(cut.rstrip(" .…"))
    assert 0 < len(cut) < len(TOLD[0])
    assert [True, False] == [t.reply.reveal() != TOLD[i] for i, t in enumerate(stage.turns())]
    assert [] == stage.unexpected


def test_a_caller_who_was_cut_off_in_the_middle_of_a_question_is_asked_for_it_again() -> None:
    async def script(stage: Stage) -> None:
        await stage.until(2.0)
        stage.vad.begin(NAME, 1.9)
        await lose(stage, 2.5)
        await come_back(stage, 9.0)
        await stage.until(12.0)

    stage = play(script, [], [])
    heard = stage.audible(GREETING_S + 0.1, 12.0)

    assert 9.0 == pytest.approx(heard[0], abs=0.021)
    assert FALLBACK_S == pytest.approx(heard[-1] - heard[0], abs=0.05)
    assert [] == stage.unexpected


def test_who_does_not_come_back_within_a_minute_has_gone() -> None:
    async def script(stage: Stage) -> None:
        await lose(stage, 3.0)
        await stage.until(100.0)

    stage = play(script, [], [])

    assert ("lost", 63.0) == (stage.ended, stage.ended_at)


def test_where_nobody_is_waited_for_the_call_ends_with_the_line() -> None:
    async def script(stage: Stage) -> None:
        await lose(stage, 3.0)
        await stage.until(4.0)

    stage = play(script, [], [], settings=Settings(calls=Calls(resume_ms=0)))

    assert ("lost", 3.0) == (stage.ended, stage.ended_at)


def test_nothing_is_heard_of_a_caller_who_is_away() -> None:
    """The detector has let go of the call, and listens again when he is back."""

    async def script(stage: Stage) -> None:
        await lose(stage, 3.0)
        await stage.until(4.0)
        assert {} == stage.vad.told
        await come_back(stage, 5.0)
        await stage.until(6.0)
        assert [NAME] == [*stage.vad.told]

    assert [] == play(script, [], []).unexpected
