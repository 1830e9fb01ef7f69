"""Whole calls in which the language model says nothing: one more try, then the fallback line."""

import logging
from typing import Any

import pytest

from tests.flow.test_call import AGENT, FALLBACK_S, FRAME_S, Stage, one_question, play
from voiced.call.answering import otherwise
from voiced.config.agent import Sampling
from voiced.errors import EngineFailed
from voiced.testing.fakes import FakeVoice, ScriptedReply

pytestmark = pytest.mark.flow

LATE = EngineFailed("llm", "deadline passed")


def replies(stage: Stage) -> list[str]:
    return [turn.reply.reveal() for turn in stage.turns()]


def fallback_s(stage: Stage) -> float:
    return sum(FRAME_S for _, level in stage.levels if level == 2000)


@pytest.mark.parametrize("failed", [LATE, "", " ... "], ids=["late", "empty", "unspeakable"])
def test_a_reply_of_which_nothing_came_is_tried_once_more(failed: Any) -> None:
    """The caller notices only that it takes longer."""
    stage = play(one_question, ["When can I visit?"], [failed, "Until eight."])

    assert (["Until eight."], 0) == (replies(stage), fallback_s(stage))
    assert stage.llm.histories[0] == stage.llm.histories[1]


def test_a_second_try_is_logged_with_its_reason(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "voiced")

    play(one_question, ["When can I visit?"], [LATE, "Until eight."])

    told = [one.values for one in caplog.records if one.message == "reply.retried"]
    assert [{"call": "c", "turn": 1, "reason": "deadline-passed"}] == told


def test_the_second_try_is_drawn_in_another_way() -> None:
    stage = play(one_question, ["When can I visit?"], [LATE, "Until eight."])

    first, second = stage.llm.samplings
    assert (AGENT.sampling, otherwise(AGENT.sampling)) == (first, second)
    assert first.temperature < second.temperature
    assert first.seed != second.seed


def test_a_warm_agent_stays_as_warm_and_every_seed_has_another() -> None:
    warm = Sampling(temperature=0.9, seed=2**32 - 1, max_tokens=7)

    assert Sampling(temperature=0.9, seed=0, max_tokens=7) == otherwise(warm)


def test_two_tries_are_all_and_then_comes_the_line() -> None:
    stage = play(one_question, ["When can I visit?"], [LATE, LATE, "Never asked for."])

    assert 2 == len(stage.llm.histories)
    assert FALLBACK_S == pytest.approx(fallback_s(stage))


def test_what_was_heard_in_part_is_not_begun_again() -> None:
    """The caller has the beginning of an answer: another one behind it would be two."""
    breaking = ScriptedReply("Until eight. And", 0.2, 0.02, "fails")

    stage = play(one_question, ["When can I visit?"], [breaking, "Never asked for."])

    assert 1 == len(stage.llm.histories)


def test_a_voice_that_fails_is_no_reason_to_think_again() -> None:
    stage = play(one_question, ["When?"], ["Until eight."], voice=FakeVoice(failing=True))

    assert 1 == len(stage.llm.histories)


def test_a_caller_who_goes_on_ends_the_second_try_too() -> None:
    async def script(stage: Stage) -> None:
        await stage.speak(2.0, 3.0)
        await stage.speak(3.7, 4.7)
        await stage.until(9.0)

    slow = ScriptedReply("Until eight.", 2.0, 0.02, "stop")
    stage = play(script, ["When can I", "visit?"], [LATE, slow, "Until eight."])

    assert ["Until eight."] == replies(stage)
    assert 3 == len(stage.llm.histories)
