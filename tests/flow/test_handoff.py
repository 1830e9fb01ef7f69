"""Whole calls in which somebody else must take over, on virtual time."""

from dataclasses import replace
from typing import Any

import pytest

from tests.flow.test_call import AGENT, FIXED, FRAME_S, Stage, hold, one_question, play
from voiced.call.handoff import PATIENCE_S
from voiced.config.agent import Handoff
from voiced.errors import EngineFailed
from voiced.llm.model import Role
from voiced.ops import metrics
from voiced.testing.fakes import FakeLanguageModel, FakePost, FakeSpeechToText, tone
from voiced.tts.fixed import FixedLine
from voiced.turn.facts import LineDue
from voiced.turn.orders import Line
from voiced.words import Words

pytestmark = pytest.mark.flow

DESK = Handoff(kind="webhook", url="https://desk.lan/calls")
NURSE = Handoff(kind="webhook", url="https://nurse.lan/calls")
NUMBER = Handoff(kind="line", line="Dial nine.")
OPERATOR = Handoff(kind="operator")
RED_FLAG_S, HAND_OFF_S, TAKEN_OVER_S = 1.5, 0.8, 0.6
LINES = {
    **FIXED,
    Line.RED_FLAG: FixedLine(Words("Call for help now."), tone(RED_FLAG_S, level=4000)),
    Line.HAND_OFF: FixedLine(Words("Dial nine."), tone(HAND_OFF_S, level=5000)),
    Line.ONE_MOMENT: FixedLine(Words("One moment."), tone(0.4, level=6000)),
    Line.TAKEN_OVER: FixedLine(Words("A nurse comes."), tone(TAKEN_OVER_S, level=7000)),
}
PAIN = "I have chest pains."


def held(
    script: Any, texts: list[Any], replies: list[Any], *targets: Handoff, post: Any = None
) -> Stage:
    agent = replace(AGENT, red_flags={"en": ("chest pain",)}, handoffs=targets)
    more = {"agent": agent, "lines": LINES, "post": post or FakePost()}
    return play(script, texts, replies, **more)


def lasting(stage: Stage, level: int) -> float:
    return sum(FRAME_S for _, heard in stage.levels if heard == level)


async def pain(stage: Stage) -> None:
    await stage.speak(2.0, 3.0)
    await stage.until(30.0)


def test_an_emergency_is_heard_of_before_the_endpoint_and_no_model_is_asked() -> None:
    """Noticed after 96 ms, read in 200: the line begins in the next frame."""
    stage = held(pain, [PAIN], [], DESK)

    assert 3.296 == pytest.approx(stage.audible(2.0, 9.0)[0], abs=FRAME_S)
    assert RED_FLAG_S == pytest.approx(lasting(stage, 4000))
    assert [] == stage.llm.histories
    turn = stage.turns()[0]
    assert (PAIN, "Call for help now.") == (turn.heard.reveal(), turn.reply.reveal())


def misheard(found: str | Exception) -> Stage:
    """A caller who seems to be just being, and what that is when it is listened to again."""
    agent = replace(AGENT, red_flags={"en": ("chest pain",)}, handoffs=(DESK,))
    stt = FakeSpeechToText(["I am just being."], suspects={"I am just being.": found})
    llm = FakeLanguageModel(["I am here."])

    def stage() -> Stage:
        return Stage(agent=agent, lines=LINES, stt=stt, llm=llm)

    return hold(stage, pain)


def test_an_emergency_that_was_misheard_is_heard_when_it_is_listened_for() -> None:
    """Nobody waits for that: it comes as much later as it takes."""
    stage = misheard(PAIN)

    assert 3.496 == pytest.approx(stage.audible(2.0, 9.0)[0], abs=FRAME_S)
    assert RED_FLAG_S == pytest.approx(lasting(stage, 4000))
    turn = stage.turns()[0]
    assert (PAIN, "Call for help now.") == (turn.heard.reveal(), turn.reply.reveal())


@pytest.mark.parametrize("found", ["", "I have a question.", EngineFailed("stt", "failed")])
def test_words_that_are_no_emergency_then_either_are_answered_as_ever(
    found: str | Exception,
) -> None:
    stage = misheard(found)

    assert 0.0 == lasting(stage, 4000)
    assert ["I am here."] == [turn.reply.reveal() for turn in stage.turns()]


def test_whoever_is_told_learns_of_the_call_and_why_and_no_word_of_it() -> None:
    post = FakePost()
    held(pain, [PAIN], [], DESK, post=post)

    ((url, notice),) = post.sent
    assert (DESK.url, "c", "desk", "red_flag") == (
        url,
        notice["call"],
        notice["agent"],
        notice["reason"],
    )
    assert {"id", "call", "agent", "reason", "at"} == set(notice)
    assert "pain" not in "".join(notice.values())


def test_a_webhook_is_asked_again_until_it_acknowledges() -> None:
    post = FakePost(acknowledges=[False, False, True])
    stage = held(pain, [PAIN], [], DESK, NUMBER, post=post)

    assert [DESK.url] * 3 == [url for url, _ in post.sent]
    assert 0.0 == lasting(stage, 5000)
    assert 1 == len({notice["id"] for _, notice in post.sent})


def test_a_webhook_that_does_not_acknowledge_is_passed_over_and_the_caller_is_told() -> None:
    post = FakePost(acknowledges=[False] * 99)
    stage = held(pain, [PAIN], [], DESK, NUMBER, post=post)

    number = [at for at, level in stage.levels if level == 5000]
    assert HAND_OFF_S == pytest.approx(len(number) * FRAME_S)
    assert 3.296 + PATIENCE_S == pytest.approx(number[0], abs=2 * FRAME_S)


def test_a_webhook_that_hangs_is_passed_over_too() -> None:
    stage = held(pain, [PAIN], [], DESK, NUMBER, post=FakePost(delay_s=3600.0))

    assert HAND_OFF_S == pytest.approx(lasting(stage, 5000))


def test_the_caller_is_asked_for_patience_between_two_that_must_be_reached() -> None:
    post = FakePost(delay_s=3600.0)
    stage = held(pain, [PAIN], [], DESK, NURSE, post=post)

    assert 0.4 == pytest.approx(lasting(stage, 6000))
    assert [DESK.url, NURSE.url] == [url for url, _ in post.sent]


def test_when_nobody_can_be_reached_the_caller_hears_the_emergency_line_again() -> None:
    stage = held(pain, [PAIN], [], DESK, post=FakePost(delay_s=3600.0))

    assert 2 * RED_FLAG_S == pytest.approx(lasting(stage, 4000))


def test_an_operator_who_takes_the_call_over_ends_the_hand_off() -> None:
    async def script(stage: Stage) -> None:
        await stage.speak(2.0, 3.0)
        await stage.until(9.0)
        waiting = [(one["call"], one["reason"]) for one in stage.hand_offs.waiting]
        stage.acknowledge()
        await stage.until(40.0)
        assert ([("c", "red_flag")], []) == (waiting, stage.hand_offs.waiting)

    stage = held(script, [PAIN], [], OPERATOR, NUMBER)

    assert 0.0 == lasting(stage, 5000)
    assert RED_FLAG_S == pytest.approx(lasting(stage, 4000))


def test_the_caller_is_told_once_that_somebody_has_taken_over() -> None:
    async def script(stage: Stage) -> None:
        await stage.speak(2.0, 3.0)
        await stage.until(9.0)
        stage.hand_offs.acknowledge("c")
        stage.hand_offs.acknowledge("c")
        await stage.until(20.0)

    stage = held(script, [PAIN], [], OPERATOR, NUMBER)

    assert TAKEN_OVER_S == pytest.approx(lasting(stage, 7000))


def test_an_operator_who_does_not_is_passed_over_and_the_caller_is_told() -> None:
    stage = held(pain, [PAIN], [], OPERATOR, NUMBER)

    number = [at for at, level in stage.levels if level == 5000]
    assert 3.296 + PATIENCE_S == pytest.approx(number[0], abs=2 * FRAME_S)


def test_an_operator_may_take_over_while_a_webhook_is_being_asked() -> None:
    async def script(stage: Stage) -> None:
        await stage.speak(2.0, 3.0)
        await stage.until(6.0)
        stage.acknowledge()
        await stage.until(40.0)

    stage = held(script, [PAIN], [], DESK, NUMBER, post=FakePost(acknowledges=[False] * 99))

    assert 0.0 == lasting(stage, 5000)
    assert len(stage.post.sent) < 6


def test_nobody_can_take_over_a_call_that_waits_for_nobody() -> None:
    stage = held(pain, [PAIN], [], NUMBER)

    assert not stage.hand_offs.acknowledge("c")


def test_a_line_is_said_behind_the_one_about_the_emergency() -> None:
    stage = held(pain, [PAIN], [], NUMBER)

    first = next(at for at, level in stage.levels if level == 4000)
    assert first + RED_FLAG_S == pytest.approx(
        next(at for at, level in stage.levels if level == 5000), abs=2 * FRAME_S
    )


def test_a_caller_who_hangs_up_is_handed_off_all_the_same() -> None:
    """Who is in danger may drop the telephone."""

    async def script(stage: Stage) -> None:
        await stage.speak(2.0, 3.0)
        await stage.until(3.5)

    post = FakePost(acknowledges=[False] * 5)
    held(script, [PAIN], [], DESK, post=post)

    assert 6 == len(post.sent)


def test_an_emergency_over_the_agent_leaves_what_was_heard_in_the_history() -> None:
    async def script(stage: Stage) -> None:
        await stage.speak(2.0, 3.0)
        await stage.speak(5.0, 5.6)
        await stage.until(9.0)
        await stage.speak(9.0, 10.0)
        await stage.until(14.0)

    long = "It is on the third floor on the left, next to the lift."
    stage = held(script, ["Where is it?", PAIN, "It began today."], [long, "I see."], NUMBER)

    history = [(m.role, m.text.reveal()) for m in stage.llm.histories[-1]]
    assert [Role.ASSISTANT, Role.USER] * 3 == [role for role, _ in history]
    assert long.startswith(history[2][1])
    assert history[2][1] != long
    assert [(Role.USER, PAIN), (Role.ASSISTANT, "Call for help now. Dial nine.")] == history[3:5]


def test_two_turns_whose_engines_fail_hand_the_call_off() -> None:
    async def script(stage: Stage) -> None:
        await stage.speak(2.0, 3.0)
        await stage.until(8.0)
        await stage.speak(8.0, 9.0)
        await stage.until(16.0)

    fails = EngineFailed("llm", "scripted")
    stage = held(script, ["Hello?", "Hello?"], [fails] * 4, NUMBER)

    assert 4.0 == pytest.approx(lasting(stage, 2000))
    assert HAND_OFF_S == pytest.approx(lasting(stage, 5000))


def test_a_hand_off_is_counted_by_kind_and_outcome() -> None:
    def counted(kind: str, result: str) -> float:
        return metrics.HANDOFFS.labels(kind, result)._value.get()

    before = counted("operator", "unacknowledged"), counted("line", "acknowledged")
    held(pain, [PAIN], [], OPERATOR, NUMBER)
    after = counted("operator", "unacknowledged"), counted("line", "acknowledged")

    assert (1, 1) == (after[0] - before[0], after[1] - before[1])


def test_without_anybody_to_hand_off_to_the_line_is_said() -> None:
    stage = held(one_question, [PAIN], [])

    assert RED_FLAG_S == pytest.approx(lasting(stage, 4000))
    assert [] == [fact for _, fact, _ in stage.decisions if isinstance(fact, LineDue)]
