"""Whole calls whose caller's program writes and asks for silence, on virtual time."""

import pytest

from tests.flow.test_call import FRAME_S, Stage, play
from voiced.call.news import CallerHeard, Declined, ReplyEnded, ReplyReleased, ReplyStarted
from voiced.llm.model import Role
from voiced.rtc.facts import Received
from voiced.turn.take import Take
from voiced.words import Words

pytestmark = pytest.mark.flow

FIRST = Take(1, 0)


def test_what_was_written_is_answered_aloud_and_stands_in_the_history() -> None:
    async def script(stage: Stage) -> None:
        await stage.until(2.0)
        stage.call.ask(Words("Where do I park?"))
        await stage.until(8.0)

    stage = play(script, [], ["In the garage."])

    # score 50, first token 200, clauses 20 a word, voice 100 ms
    assert 2.0 < stage.audible(2.0, 8.0)[0] < 2.6
    asked = [(m.role, m.text.reveal()) for m in stage.llm.histories[0]]
    assert (Role.USER, "Where do I park?") == asked[-1]
    turn = stage.turns()[0]
    assert ("Where do I park?", "In the garage.") == (turn.heard.reveal(), turn.reply.reveal())
    assert 0 == pytest.approx(turn.legs["endpoint_delay"].waited_ms, abs=1)
    assert [] == [news for news in stage.news if isinstance(news, CallerHeard)]


def test_what_is_said_before_the_answer_comes_behind_what_was_written() -> None:
    async def script(stage: Stage) -> None:
        await stage.until(2.0)
        stage.call.ask(Words("Where do I park?"))
        await stage.speak(2.1, 2.9)
        await stage.until(8.0)

    stage = play(script, ["With a bicycle."], ["Never said.", "At the door."])

    asked = [m.text.reveal() for m in stage.llm.histories[-1] if m.role is Role.USER]
    assert ["Where do I park? With a bicycle."] == asked
    heard = [news.text.reveal() for news in stage.news if isinstance(news, CallerHeard)]
    assert ["With a bicycle."] == heard


def test_what_is_written_while_the_agent_speaks_is_declined_and_it_speaks_on() -> None:
    async def script(stage: Stage) -> None:
        await stage.speak(2.0, 3.0)
        await stage.until(4.5)
        stage.call.ask(Words("Where do I park?"))
        await stage.until(10.0)

    stage = play(script, ["Hello?"], ["This reply goes on for a while."])

    assert 1 == sum(isinstance(news, Declined) for news in stage.news)
    assert ["This reply goes on for a while."] == [t.reply.reveal() for t in stage.turns()]


def test_silence_is_kept_on_request_and_what_was_heard_is_told() -> None:
    async def script(stage: Stage) -> None:
        await stage.speak(2.0, 3.0)
        await stage.until(4.6)
        stage.call.stop()
        await stage.until(10.0)

    stage = play(script, ["Hello?"], ["This reply goes on for quite a while, and then some."])

    assert [] == stage.audible(4.6 + 2 * FRAME_S, 10.0)
    ended = [news for news in stage.news if isinstance(news, ReplyEnded) and news.take == FIRST]
    assert [True] == [news.cut for news in ended]
    sounding_s = 4.6 - stage.audible(3.0, 4.7)[0]
    # less what a caller's own buffers still hold: 60 ms
    assert sounding_s - 0.06 == pytest.approx(ended[0].samples / 24_000, abs=2 * FRAME_S)


def test_a_reply_is_told_as_released_then_started_then_ended() -> None:
    async def script(stage: Stage) -> None:
        await stage.speak(2.0, 3.0)
        await stage.until(8.0)

    stage = play(script, ["Hello?"], ["Yes."])

    kinds = (ReplyReleased, ReplyStarted, ReplyEnded)
    assert [*kinds, *kinds] == [type(news) for news in stage.news if isinstance(news, kinds)]
    heard = [news.samples for news in stage.news if isinstance(news, ReplyEnded)]
    assert [24_000, int(4 * 0.05 * 24_000)] == heard


def test_the_program_s_messages_reach_whoever_reads_them_for_the_call() -> None:
    read: list[str] = []

    async def script(stage: Stage) -> None:
        stage.call.received = lambda message: read.append(message.reveal())
        stage.inbox.put(Received(0.5, Words("{}")))
        await stage.until(1.0)

    play(script, [], [])

    assert ["{}"] == read
