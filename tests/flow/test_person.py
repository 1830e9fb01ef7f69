"""Whole calls that a person joins, on virtual time."""

from dataclasses import replace
from typing import Any

import pytest

from tests.flow.test_call import AGENT, FRAME_S, Stage, play
from tests.flow.test_handoff import LINES, NUMBER, OPERATOR, PAIN, lasting
from voiced.audit.entries import AdminActed
from voiced.call.handoff import PATIENCE_S
from voiced.call.news import CallerSpoke, PersonJoined, PersonLeft
from voiced.errors import Refused
from voiced.rtc.facts import Connected, Lost
from voiced.testing.audit import FakeAudit
from voiced.testing.fakes import FakePost, tone
from voiced.tts.fixed import FixedLine
from voiced.turn.orders import Line
from voiced.words import Words

pytestmark = pytest.mark.flow

BACK_S = 0.7
NURSE, BACK = 3000, 8000
THERE_AGAIN = FixedLine(Words("I am here again."), tone(BACK_S, level=BACK))
LATE_S = 0.12
"""Behind what the other says: the slack, the resampler, and a frame."""


def held(script: Any, texts: list[Any], replies: list[Any], **more: Any) -> Stage:
    agent = replace(AGENT, red_flags={"en": ("chest pain",)}, handoffs=(OPERATOR, NUMBER))
    lines = more.pop("lines", {**LINES, Line.HANDED_BACK: THERE_AGAIN})
    return play(script, texts, replies, agent=agent, lines=lines, post=FakePost(), **more)


async def nurse_joins(stage: Stage) -> None:
    """At 8.0, after an emergency was named."""
    await stage.speak(2.0, 3.0)
    await stage.until(8.0)
    stage.person.level = NURSE
    await stage.join()


def only(level: int, levels: list[tuple[float, int]], begin: float, end: float) -> bool:
    """Whether each frame in between is as loud as that; or nearly: it was resampled."""
    found = [one for at, one in levels if begin < at < end]
    return bool(found) and all(abs(one - level) <= level * 0.02 for one in found)


def test_the_caller_hears_the_person_and_the_person_the_caller() -> None:
    async def script(stage: Stage) -> None:
        await nurse_joins(stage)
        stage.source.level = 5000
        await stage.until(12.0)

    stage = held(script, [PAIN], [])

    settled = 8.0 + 2 * LATE_S
    assert only(NURSE, stage.levels, settled, 11.9)
    assert only(5000, stage.person.heard, settled, 11.9)


def test_a_person_who_joins_while_the_agent_speaks_silences_it_at_once() -> None:
    async def script(stage: Stage) -> None:
        await stage.speak(2.0, 3.0)
        await stage.until(4.0)
        await stage.join()
        await stage.until(8.0)

    stage = held(script, [PAIN], [])

    assert [] == stage.audible(4.0 + 2 * FRAME_S, 8.0)


def test_what_the_caller_says_to_a_person_is_neither_read_nor_answered_nor_told() -> None:
    async def script(stage: Stage) -> None:
        await nurse_joins(stage)
        before = len(stage.news)
        await stage.speak(9.0, 10.0)
        await stage.until(14.0)
        assert [] == [one for one in stage.news[before:] if isinstance(one, CallerSpoke)]

    stage = held(script, [PAIN, "It hurts."], ["I see."])

    assert 1 == len(stage.stt.utterances)
    assert [] == stage.unexpected


def test_when_the_person_has_gone_a_line_says_so_and_the_agent_answers_again() -> None:
    async def script(stage: Stage) -> None:
        await nurse_joins(stage)
        await stage.until(12.0)
        stage.person.hang_up()
        await stage.until(14.0)
        await stage.speak(14.0, 15.0)
        await stage.until(20.0)

    stage = held(script, [PAIN, "Thank you."], ["You are welcome."])

    assert BACK_S == pytest.approx(lasting(stage, BACK), abs=FRAME_S)
    assert [12.0] == [pytest.approx(at, abs=0.1) for at, level in stage.levels if level == BACK][:1]
    assert "Thank you." == stage.turns()[-1].heard.reveal()
    assert [PersonJoined(), PersonLeft()] == [
        one for one in stage.news if isinstance(one, PersonJoined | PersonLeft)
    ]


def test_without_a_line_for_it_the_greeting_says_who_is_there() -> None:
    async def script(stage: Stage) -> None:
        await nurse_joins(stage)
        await stage.until(12.0)
        stage.person.hang_up()
        await stage.until(20.0)

    stage = held(script, [PAIN], [], lines=LINES)

    assert stage.audible(12.0, 13.0)
    assert {1000} == {level for at, level in stage.levels if at > 12.2 and level}


def test_a_person_who_joins_has_taken_over_and_nobody_says_that_one_will_come() -> None:
    async def script(stage: Stage) -> None:
        await nurse_joins(stage)
        await stage.until(9.0)
        assert [] == stage.hand_offs.waiting
        await stage.until(9.0 + PATIENCE_S)

    stage = held(script, [PAIN], [])

    assert 0.0 == lasting(stage, 7000)  # taken over
    assert 0.0 == lasting(stage, 5000)  # the number to dial


def test_an_emergency_after_the_person_has_gone_is_handed_off_again() -> None:
    async def script(stage: Stage) -> None:
        await nurse_joins(stage)
        await stage.until(12.0)
        stage.person.hang_up()
        await stage.until(14.0)
        await stage.speak(14.0, 15.0)
        await stage.until(17.0)
        assert ["red_flag"] == [one["reason"] for one in stage.hand_offs.waiting]

    held(script, [PAIN, PAIN], [])


def test_one_person_at_a_time_and_another_after_them() -> None:
    async def script(stage: Stage) -> None:
        await nurse_joins(stage)
        await stage.until(9.0)
        with pytest.raises(Refused, match="already"):
            await stage.join()
        stage.person.hang_up()
        await stage.until(12.0)
        await stage.join()
        await stage.until(14.0)

    stage = held(script, [PAIN], [])

    assert only(NURSE, stage.levels, 12.5, 13.9)


def test_a_caller_whose_line_is_lost_finds_the_person_again() -> None:
    async def script(stage: Stage) -> None:
        await nurse_joins(stage)
        await stage.until(10.0)
        stage.inbox.put(Lost(10.0))
        await stage.until(15.0)
        stage.inbox.put(Connected(15.0))
        await stage.until(18.0)

    stage = held(script, [PAIN], [])

    assert [] == stage.audible(10.1, 15.0)
    assert only(NURSE, stage.levels, 15.3, 17.9)


def test_a_person_who_goes_while_the_caller_is_away_leaves_the_caller_to_the_agent() -> None:
    async def script(stage: Stage) -> None:
        await nurse_joins(stage)
        await stage.until(10.0)
        stage.inbox.put(Lost(10.0))
        await stage.until(11.0)
        stage.person.hang_up()
        await stage.until(15.0)
        stage.inbox.put(Connected(15.0))
        await stage.speak(16.0, 17.0)
        await stage.until(22.0)

    stage = held(script, [PAIN, "Hello?"], ["Hello."])

    assert "Hello?" == stage.turns()[-1].heard.reveal()
    assert [] == stage.unexpected


def test_a_call_that_must_end_takes_its_leave_of_both() -> None:
    async def script(stage: Stage) -> None:
        await nurse_joins(stage)
        await stage.until(10.0)
        stage.call.leave()
        await stage.until_over(20.0)

    stage = held(script, [PAIN], [])

    assert "left" == stage.ended
    assert 3000 == max(level for at, level in stage.levels if at > 10.1)  # the goodbye


def test_who_listened_is_in_the_audit() -> None:
    audit = FakeAudit()

    async def script(stage: Stage) -> None:
        await nurse_joins(stage)
        await stage.until(12.0)

    held(script, [PAIN], [], audit=audit)

    acted = [one for one in audit.entries if isinstance(one, AdminActed)]
    assert [("key:nurses", "call.joined", "c"), ("key:nurses", "call.left", "c")] == [
        (one.actor, one.action, one.target) for one in acted
    ]
