"""Whole calls on a machine that is too slow: what is left out, and what still holds."""

from dataclasses import replace

import pytest

from tests.flow.test_call import AGENT, Stage, one_question, play
from voiced.call.strain import Measure, Strain
from voiced.config.settings import Budget

pytestmark = pytest.mark.flow


def strained(level: int) -> Strain:
    """It has left so much out just now."""
    strain = Strain()
    for at in range(level):
        for _ in range(4):
            strain.turn_ended(-60.0 + 15.0 * at, late=True)
    assert tuple(Measure)[:level] == strain.measures
    return strain


async def goes_on_in_a_pause(stage: Stage) -> None:
    await stage.speak(2.0, 3.0)
    await stage.speak(3.32, 4.0)
    await stage.until(9.0)


@pytest.mark.parametrize(("level", "asked"), [(1, 2), (2, 1)])
def test_without_speculation_the_language_model_is_asked_behind_the_turn(
    level: int, asked: int
) -> None:
    """Who goes on within a pause has made no answer in vain."""
    texts, replies = ["Where is it?", "Where is it? The lift."], ["Here.", "On the left."]
    stage = play(goes_on_in_a_pause, texts, replies[2 - asked :], strain=strained(level))

    assert asked == len(stage.llm.histories)
    assert ["On the left."] == [turn.reply.reveal() for turn in stage.turns()]


def test_a_first_clause_is_cut_shorter() -> None:
    reply = "Visits are at ten, at two, and in the evening on the third floor."
    long = play(one_question, ["When?"], [reply], strain=strained(2))
    short = play(one_question, ["When?"], [reply], strain=strained(3))

    assert "Visits are at ten," == short.voice.spoken[0]  # type: ignore[attr-defined]
    assert len(long.voice.spoken[0]) > len(short.voice.spoken[0])  # type: ignore[attr-defined]


@pytest.mark.parametrize(("voice_to_voice_ms", "level"), [(900, 0), (400, 1)])
def test_late_turns_of_calls_are_what_it_is_told(voice_to_voice_ms: int, level: int) -> None:
    """The work behind the end of each turn takes 166 ms; 300 of the budget are the pause's."""

    async def script(stage: Stage) -> None:
        for number in range(5):
            await stage.speak(2.0 + 4 * number, 3.0 + 4 * number)
        await stage.until(24.0)

    strain = Strain()
    agent = replace(AGENT, budget=Budget(voice_to_voice=voice_to_voice_ms))
    play(script, ["When can I visit?"] * 5, ["Yes. Until eight."] * 5, agent=agent, strain=strain)

    assert level == len(strain.measures)
