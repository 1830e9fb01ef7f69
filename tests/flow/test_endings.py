"""Whole calls: silence, goodbyes and repetitions, on virtual time."""

from dataclasses import replace

import pytest

from tests.flow.test_call import (
    AGENT,
    FIXED,
    FRAME_S,
    GOODBYE_S,
    GREETING_S,
    Stage,
    one_question,
    play,
)
from voiced.config.settings import Calls, Settings
from voiced.llm.model import Role
from voiced.testing.fakes import FakeLanguageModel, FakeSpeechToText, ScriptedReply, tone
from voiced.testing.stage import hold
from voiced.tts.fixed import FixedLine
from voiced.turn.orders import Line
from voiced.words import Words

pytestmark = pytest.mark.flow

PATIENT = replace(AGENT, turn=replace(AGENT.turn, quiet_ms=5000))
NUDGE_S = 0.6
LINES = {
    **FIXED,
    Line.STILL_THERE: FixedLine(Words("Are you still there?"), tone(NUDGE_S, level=4000)),
}


def lasting(stage: Stage, level: int) -> float:
    return sum(FRAME_S for _, heard in stage.levels if heard == level)


def test_a_silent_caller_is_asked_twice_and_the_call_ends_with_a_goodbye() -> None:
    async def script(stage: Stage) -> None:
        await stage.until(40.0)

    stage = play(script, [], [], agent=PATIENT, lines=LINES)

    asked = [at for at, level in stage.levels if level == 4000]
    ends = GREETING_S + 5 + NUDGE_S + 5 + NUDGE_S + 5 + GOODBYE_S
    assert 2 * NUDGE_S == pytest.approx(len(asked) * FRAME_S)
    assert GREETING_S + 5 == pytest.approx(asked[0], abs=2 * FRAME_S)
    assert ("left", pytest.approx(ends, abs=0.2)) == (stage.ended, stage.ended_at)
    assert [] == stage.turns()


def test_the_silence_counts_from_the_end_of_the_reply() -> None:
    stage = play(one_question, ["Hello?"], ["Yes."], agent=PATIENT, lines=LINES)

    assert 0.0 == lasting(stage, 4000)


def test_yes_after_are_you_still_there_is_an_answer() -> None:
    async def script(stage: Stage) -> None:
        await stage.speak(6.3, 6.9)
        await stage.until(10.0)

    stage = play(script, ["Yeah."], ["Good."], agent=PATIENT, lines=LINES)

    assert [("Yeah.", "Good.")] == [(t.heard.reveal(), t.reply.reveal()) for t in stage.turns()]


def test_a_goodbye_is_returned_without_the_language_model_and_ends_the_call() -> None:
    async def script(stage: Stage) -> None:
        await stage.speak(2.0, 3.0)
        await stage.until(8.0)

    stage = play(script, ["Okay, goodbye."], [])

    assert ([], "left") == (stage.llm.histories, stage.ended)
    assert 3.5 == pytest.approx(stage.audible(2.0, 8.0)[0], abs=2 * FRAME_S)
    assert GOODBYE_S == pytest.approx(lasting(stage, 3000))


def test_a_call_that_lasts_too_long_gets_a_goodbye() -> None:
    async def script(stage: Stage) -> None:
        await stage.until(9.0)

    stage = play(script, [], [], settings=Settings(calls=Calls(max_call_ms=4000)))

    assert ("left", pytest.approx(4.0 + GOODBYE_S, abs=0.1)) == (stage.ended, stage.ended_at)


def test_the_last_reply_is_said_again_and_stands_twice_in_the_history() -> None:
    async def script(stage: Stage) -> None:
        await stage.speak(2.0, 3.0)
        await stage.until(6.0)
        await stage.speak(6.0, 7.0)
        await stage.until(10.0)
        await stage.speak(10.0, 11.0)
        await stage.until(15.0)

    texts = ["When is it?", "Can you repeat that?", "Thanks a lot for it."]
    stage = play(script, texts, ["At ten. Or at four.", "Gladly."])

    assert ["At ten. Or at four."] * 2 == [turn.reply.reveal() for turn in stage.turns()[:2]]
    assert 2 == len(stage.llm.histories)
    roles = [message.role for message in stage.llm.histories[1]]
    assert [Role.ASSISTANT, Role.USER] * 3 == roles


def test_who_asks_first_for_a_repetition_hears_the_greeting_again() -> None:
    stage = play(one_question, ["Pardon?"], [])

    assert ["Hello."] == [turn.reply.reveal() for turn in stage.turns()]


def test_a_repetition_cut_off_leaves_what_was_heard_of_it() -> None:
    async def script(stage: Stage) -> None:
        await stage.speak(2.0, 3.0)
        await stage.until(8.0)
        await stage.speak(8.0, 9.0)
        await stage.speak(10.5, 12.0)
        await stage.until(16.0)

    reply = "It is on the third floor on the left, next to the lift."
    stage = play(script, ["Where?", "Say that again.", "I see it."], [reply, "Good."])

    again = stage.turns()[1].reply.reveal()
    assert reply.startswith(again)
    assert 0 < len(again) < len(reply)


async def asks_for_another_manner(stage: Stage) -> None:
    await stage.speak(2.0, 3.0)
    await stage.until(8.0)
    await stage.speak(8.0, 9.0)
    await stage.until(15.0)


def test_who_asks_for_slower_speech_hears_it_again_and_more_slowly() -> None:
    stage = play(asks_for_another_manner, ["When?", "Slower, please."], ["At ten or at four."])

    first, again = len(stage.audible(2.0, 8.0)), len(stage.audible(8.0, 15.0))
    assert 1.25 == pytest.approx(again / first, abs=0.03)
    assert ["At ten or at four."] * 2 == [turn.reply.reveal() for turn in stage.turns()]
    assert 1 == len(stage.llm.histories)


def test_who_asks_for_louder_speech_hears_it_again_and_louder_from_then_on() -> None:
    async def script(stage: Stage) -> None:
        await asks_for_another_manner(stage)
        await stage.speak(15.0, 16.0)
        await stage.until(20.0)

    texts = ["When?", "I can't hear you.", "Thanks a lot for it."]
    stage = play(script, texts, ["At ten or at four.", "Gladly."])

    levels = [max(level for at, level in stage.levels if begin <= at) for begin in (8.0, 16.0)]
    assert [1600, 1600] == levels
    assert {1000} == {level for at, level in stage.levels if 2.0 <= at < 8.0 and level}


def test_a_second_of_silence_behind_the_turn_is_filled() -> None:
    """The pause ends 500 ms behind the last word; the reply needs five seconds."""
    lines = {**FIXED, Line.FILLER: FixedLine(Words("Let me see."), tone(0.4, level=700))}
    slow = ScriptedReply("At ten.", 5.0, 0.02, "stop")

    async def script(stage: Stage) -> None:
        await stage.speak(2.0, 3.0)
        await stage.until(14.0)

    stage = play(script, ["When?"], [slow], lines=lines)

    filler = [at for at, level in stage.levels if level == 700]
    assert (3.5 + 1.0, 0.4) == (
        pytest.approx(filler[0], abs=2 * FRAME_S),
        pytest.approx(len(filler) * FRAME_S),
    )
    assert [(Role.USER, "When?"), (Role.ASSISTANT, "At ten.")] == [
        (message.role, message.text.reveal()) for message in stage.call.history()[1:]
    ]


DISCLOSED = {
    **FIXED,
    Line.GREETING: FixedLine(Words("You speak with a machine. Hello."), tone(2.0)),
    Line.DISCLOSURE: FixedLine(Words("You speak with a machine."), tone(1.5, level=4000)),
}


async def cuts_in(stage: Stage, at: float) -> None:
    await stage.speak(at, at + 1.5)
    await stage.until(12.0)


def test_a_disclosure_that_was_cut_off_is_said_at_the_next_chance() -> None:
    stage = play(lambda s: cuts_in(s, 0.3), ["When can I visit?"], ["At ten."], lines=DISCLOSED)

    last = max(at for at, level in stage.levels if level == 1000)
    again = [at for at, level in stage.levels if level == 4000]
    assert 1.5 == pytest.approx(len(again) * FRAME_S)
    assert last < again[0] < last + 3 * FRAME_S


def test_a_disclosure_that_was_heard_is_not_said_again() -> None:
    """Who cuts off the rest of the greeting knows whom they speak with."""
    stage = play(lambda s: cuts_in(s, 1.5), ["When can I visit?"], ["At ten."], lines=DISCLOSED)

    assert 0.0 == lasting(stage, 4000)


def test_the_end_of_a_long_call_is_announced_before_it_comes() -> None:
    lines = {**FIXED, Line.CLOSING_SOON: FixedLine(Words("A minute left."), tone(0.6, level=4000))}

    async def script(stage: Stage) -> None:
        await stage.until(170.0)

    stage = play(script, [], [], lines=lines, settings=Settings(calls=Calls(max_call_ms=150_000)))

    announced = [at for at, level in stage.levels if level == 4000]
    assert 90.0 == pytest.approx(announced[0], abs=2 * FRAME_S)
    assert ("left", pytest.approx(150.0 + GOODBYE_S, abs=0.1)) == (stage.ended, stage.ended_at)


def test_a_recogniser_that_is_late_is_filled_too_and_its_words_are_answered() -> None:
    lines = {**FIXED, Line.FILLER: FixedLine(Words("Let me see."), tone(0.4, level=700))}

    async def script(stage: Stage) -> None:
        await stage.speak(2.0, 3.0)
        await stage.until(14.0)

    stt = FakeSpeechToText(["When?"], delay_s=5.0)
    stage = hold(
        lambda: Stage(agent=AGENT, lines=lines, stt=stt, llm=FakeLanguageModel(["At ten."])), script
    )

    filler = [at for at, level in stage.levels if level == 700]
    assert 3.0 + 1.2 + 1.0 == pytest.approx(filler[0], abs=2 * FRAME_S)
    assert ["When?"] == [turn.heard.reveal() for turn in stage.turns()]


def test_who_goes_on_over_a_filler_has_one_turn_and_one_reply() -> None:
    lines = {**FIXED, Line.FILLER: FixedLine(Words("Let me see."), tone(0.4, level=700))}
    slow = ScriptedReply("Never heard.", 5.0, 0.02, "stop")

    async def script(stage: Stage) -> None:
        await stage.speak(2.0, 3.0)
        await stage.speak(4.6, 5.5)
        await stage.until(14.0)

    stage = play(script, ["Hello", "Hello in Korean please"], [slow, "Gladly."], lines=lines)

    ended = [(turn.heard.reveal(), turn.reply.reveal()) for turn in stage.turns()]
    assert [("Hello in Korean please", "Gladly.")] == ended
