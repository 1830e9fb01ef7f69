"""Whole calls on virtual time, with fake engines: what the caller hears, and when."""

from typing import Any

import pytest

from voiced.audio.pcm import FRAME_S
from voiced.call.news import CallerHeard, ReplyEnded
from voiced.call.playing import PLAYOUT_DELAY_MS
from voiced.config.agent import Agent, Lines
from voiced.config.settings import TurnPace
from voiced.errors import EngineFailed
from voiced.flow.playout import Played
from voiced.llm.model import Role
from voiced.testing.fakes import (
    FakeLanguageModel,
    FakeSpeechToText,
    FakeVoice,
    ScriptedReply,
    tone,
)
from voiced.testing.stage import Stage, hold
from voiced.tts.fixed import FixedLine
from voiced.turn.orders import Line
from voiced.turn.take import Take
from voiced.words import Words

pytestmark = pytest.mark.flow

GREETING_S = 1.0
FALLBACK_S = 2.0
GOODBYE_S = 0.5
AGENT = Agent(
    name="desk",
    languages=("en",),
    prompt="You are the front desk.",
    lines={"en": Lines(greeting="Hello.", fallback="Sorry?", goodbye="Goodbye.")},
    voices={"en": "fake"},
    turn=TurnPace(
        endpoint_delay_ms=500,
        endpoint_ceiling_ms=1200,
        hold_ms=250,
        barge_in_ms=900,
        answer_deadline_ms=5000,
    ),
)
FIXED = {
    Line.GREETING: FixedLine(Words("Hello."), tone(GREETING_S)),
    Line.FALLBACK: FixedLine(Words("Sorry?"), tone(FALLBACK_S, level=2000)),
    Line.GOODBYE: FixedLine(Words("Goodbye."), tone(GOODBYE_S, level=3000)),
}


def play(
    script: Any,
    texts: list[Any],
    replies: list[Any],
    voice: Any = None,
    **more: Any,
) -> Stage:
    """Runs a script against a call that is connected at 0.0, and hangs up at its end."""

    def stage() -> Stage:
        parts = {"agent": AGENT, "lines": FIXED, **more}
        stt, llm = FakeSpeechToText([*texts]), FakeLanguageModel([*replies])
        return Stage(stt=stt, llm=llm, voice=voice or FakeVoice(), **parts)

    return hold(stage, script)


async def one_question(stage: Stage) -> None:
    await stage.speak(2.0, 3.0)
    await stage.until(8.0)


def test_the_caller_is_greeted_at_once() -> None:
    async def script(stage: Stage) -> None:
        await stage.until(2.0)

    stage = play(script, [], [])

    heard = stage.audible(0.0, 2.0)
    assert (0.0, 50) == (heard[0], len(heard))


def test_the_caller_waits_for_the_endpoint_or_for_the_work_and_not_for_their_sum() -> None:
    """The pause is noticed after 96 ms; then recogniser 200, score 50, first token 200, clause 20,
    voice 100 ms: 666 ms of work behind an endpoint of 500 ms."""
    stage = play(one_question, ["When can I visit?"], ["Yes. Until eight."])

    first = stage.audible(2.0, 8.0)[0]
    legs = stage.turns()[0].legs
    assert 3.666 == pytest.approx(first, abs=FRAME_S)
    assert 500 == pytest.approx(legs["endpoint_delay"].waited_ms)
    assert 0 == pytest.approx(legs["stt"].waited_ms)
    assert 200 == pytest.approx(legs["stt"].spent_ms)
    assert 100 == pytest.approx(legs["tts_ttfb"].waited_ms)
    parts = ("llm_ttft", "likely_over")
    waited = sum(leg.waited_ms for name, leg in legs.items() if name not in parts)
    assert 96 == pytest.approx(legs["likely_over"].waited_ms)
    assert (first - 3.0) * 1000 == pytest.approx(waited)


def test_an_answer_that_is_ready_is_held_until_the_endpoint() -> None:
    """A patient agent: nothing is heard before its endpoint, and the answer at once then."""
    stage = play(one_question, ["My number is 555 210"], ["Yes?"])

    assert 4.2 == pytest.approx(stage.audible(2.0, 8.0)[0], abs=FRAME_S)
    assert 0 == pytest.approx(stage.turns()[0].legs["tts_ttfb"].waited_ms)


def test_the_caller_hears_the_reply_and_the_next_prompt_knows_it() -> None:
    async def script(stage: Stage) -> None:
        await stage.speak(2.0, 3.0)
        await stage.until(10.0)
        await stage.speak(10.0, 11.0)
        await stage.until(16.0)

    stage = play(script, ["Hello?", "And on Sunday?"], ["We are open.", "Yes, too."])

    assert [["Hello?"], ["We are open."]] == [
        [turn.heard.reveal() for turn in stage.turns()[:1]],
        [turn.reply.reveal() for turn in stage.turns()[:1]],
    ]
    assert [
        (Role.ASSISTANT, "Hello."),
        (Role.USER, "Hello?"),
        (Role.ASSISTANT, "We are open."),
        (Role.USER, "And on Sunday?"),
    ] == [(message.role, message.text.reveal()) for message in stage.llm.histories[1]]


def test_the_recogniser_gets_the_lead_in_and_the_tail_of_what_was_said() -> None:
    """500 ms before the first voiced sample, 200 ms behind the last one."""
    stage = play(one_question, ["Hello?"], ["Yes."])

    assert [int(1.7 * 16000)] == [len(utterance.pcm) for utterance in stage.stt.utterances]


def test_a_barge_in_silences_the_agent_within_a_frame_and_keeps_what_was_heard() -> None:
    """The agent's reply takes long; the caller speaks over it from 6.0 on."""

    async def script(stage: Stage) -> None:
        await stage.speak(2.0, 3.0)
        await stage.speak(6.0, 7.0)
        await stage.until(12.0)

    reply = "The doctor will see you on the third floor. Please take the lift there. " * 3
    stage = play(script, ["Where is it?", "Stop."], [reply.strip(), "Fine."])

    assert [] == stage.audible(6.25 + 2 * FRAME_S, 7.5)
    first = stage.turns()[0]
    assert reply.startswith(first.reply.reveal())
    assert 0 < len(first.reply) < len(reply.strip())
    cut = [message for message in stage.llm.histories[1] if message.cut]
    assert [first.reply] == [message.text for message in cut]


LONG = "It is on the third floor on the left, next to the lift."


def over_the_agent(start: float, stop: float) -> Any:
    async def script(stage: Stage) -> None:
        await stage.speak(2.0, 3.0)
        await stage.speak(start, stop)
        await stage.until(12.0)

    return script


@pytest.mark.parametrize("said", ["", "Mm hmm.", "It is on the third floor"])
def test_a_cough_a_backchannel_and_an_echo_let_the_agent_go_on_at_the_same_word(
    said: str,
) -> None:
    stage = play(over_the_agent(5.0, 5.6), ["Where is it?", said], [LONG])

    undisturbed = play(one_question, ["Where is it?"], [LONG])
    assert [LONG] == [turn.reply.reveal() for turn in stage.turns()]
    assert len(undisturbed.audible(3.0, 12.0)) == pytest.approx(
        len(stage.audible(3.0, 12.0)), abs=2
    )
    assert [] == stage.audible(5.25 + FRAME_S, 5.6)


@pytest.mark.parametrize(("spoken_s", "asked"), [(0.2, 1), (0.7, 2)])
def test_two_words_of_the_question_right_behind_it_are_an_answer_and_no_echo(
    spoken_s: float, asked: int
) -> None:
    """An echo is over as soon as the agent's sound is; an answer goes on."""
    question = "At ten, or in the evening?"

    async def script(stage: Stage) -> None:
        await stage.speak(2.0, 3.0)
        await stage.until(4.5)
        while stage.turns() == []:
            await stage.until(stage.now() + FRAME_S)
        begun = stage.now() + 0.2
        await stage.speak(begun, begun + spoken_s)
        await stage.until(begun + 6.0)

    stage = play(script, ["When can I come?", "In the evening."], [question, "Good."])

    assert asked == len(stage.llm.histories)


def test_a_sound_over_the_agent_softens_it_at_once() -> None:
    stage = play(over_the_agent(5.0, 5.2), ["Where is it?", ""], [LONG])

    def loudest(start: float, stop: float) -> int:
        return max(level for at, level in stage.levels if start <= at < stop)

    assert (1000, 250, 1000) == (
        loudest(4.8, 5.06),
        loudest(5.064 + 2 * FRAME_S, 5.29),
        loudest(5.5, 6.0),
    )


def test_a_stop_over_the_agent_is_answered_as_the_next_turn() -> None:
    stage = play(over_the_agent(5.0, 5.5), ["Where is it?", "Stop."], [LONG, "I am listening."])

    heard = [(turn.heard.reveal(), turn.reply.reveal()) for turn in stage.turns()]
    assert ("Stop.", "I am listening.") == heard[1]
    assert LONG.startswith(heard[0][1])
    assert len(heard[0][1]) < len(LONG)


def test_a_reply_that_was_cut_ends_once_although_the_tick_tells_its_end_later() -> None:
    """The tick was about to tell it when the caller took the floor."""

    async def script(stage: Stage) -> None:
        await stage.speak(2.0, 3.0)
        await stage.speak(5.0, 5.5)
        await stage.until(6.5)
        stage.inbox.put(Played(Take(1, 0), stage.now(), 100, finished=True))
        await stage.until(12.0)

    stage = play(script, ["Where is it?", "Stop."], [LONG, "I am listening."])

    ended = [news.take for news in stage.news if isinstance(news, ReplyEnded)]
    assert [Take(0, 0), Take(1, 0), Take(2, 0)] == ended
    assert [1, 2] == [turn.turn for turn in stage.turns()]


def test_words_that_the_agent_would_have_said_later_are_the_caller_s() -> None:
    """Only what has sounded can come back as an echo."""
    reply = "It is on the third floor of the main house. Please take the lift there."
    said = "Take the lift there?"
    stage = play(over_the_agent(4.5, 5.2), ["Where is it?", said], [reply, "Yes."])

    assert said == stage.turns()[1].heard.reveal()


def test_going_on_while_the_agent_thinks_gives_one_message_and_one_reply() -> None:
    """Nothing of the first take is heard; its audio joins that of the second."""

    async def script(stage: Stage) -> None:
        await stage.speak(2.0, 3.0)
        await stage.speak(3.55, 4.35)
        await stage.until(10.0)

    texts = ["I would like", "I would like to book a visit."]
    stage = play(script, texts, ["What would you like?", "Gladly."])

    turn = stage.turns()[0]
    assert (1, texts[1], "Gladly.") == (
        len(stage.turns()),
        turn.heard.reveal(),
        turn.reply.reveal(),
    )
    asked = [m.text.reveal() for m in stage.llm.histories[-1] if m.role is Role.USER]
    assert [texts[1]] == asked
    whole_s = 0.5 + 2.35 + 0.2  # the pause is no longer than lead-in and tail
    assert whole_s == pytest.approx(len(stage.stt.utterances[-1].pcm) / 16000, abs=0.001)


@pytest.mark.parametrize(
    ("texts", "replies"),
    [
        ([EngineFailed("stt", "scripted")], []),
        (["Hello?"], [EngineFailed("llm", "scripted")] * 2),
        (["Hello?"], ["", ""]),
    ],
    ids=["the recogniser fails", "the language model fails twice", "two replies are empty"],
)
def test_an_engine_that_fails_is_heard_as_an_apology(texts: list[Any], replies: list[Any]) -> None:
    stage = play(one_question, texts, replies)

    assert 2000 == max(level for at, level in stage.levels if at > 3.0)
    assert FALLBACK_S == pytest.approx(len(stage.audible(3.0, 8.0)) * FRAME_S)


def test_a_voice_that_fails_is_heard_as_an_apology() -> None:
    stage = play(one_question, ["Hello?"], ["Yes."], FakeVoice(failing=True))

    assert FALLBACK_S == pytest.approx(len(stage.audible(3.0, 8.0)) * FRAME_S)


def test_a_language_model_that_never_answers_is_apologised_for_at_the_deadline() -> None:
    async def script(stage: Stage) -> None:
        await stage.speak(2.0, 3.0)
        await stage.until(12.0)

    stage = play(script, ["Hello?"], [None])

    assert 8.5 == pytest.approx(stage.audible(3.0, 12.0)[0], abs=2 * FRAME_S)


def test_a_language_model_that_stops_in_the_middle_is_apologised_for() -> None:
    """What was said is not taken back, and the line is not dead."""

    async def script(stage: Stage) -> None:
        await stage.speak(2.0, 3.0)
        await stage.until(20.0)

    stalled = ScriptedReply("It is upstairs. And then", 0.2, 0.02, "never")
    stage = play(script, ["Where is it?"], [stalled])

    assert FALLBACK_S == pytest.approx(sum(FRAME_S for _, level in stage.levels if level == 2000))
    assert ["It is upstairs. Sorry?"] == [turn.reply.reveal() for turn in stage.turns()]


def test_the_legs_of_a_turn_that_is_cut_off_are_its_own() -> None:
    """Not those of the turn that cut it off."""
    stage = play(over_the_agent(5.0, 5.5), ["Where is it?", "Stop."], [LONG, "I am listening."])

    undisturbed = play(one_question, ["Where is it?"], [LONG])
    assert undisturbed.turns()[0].legs == stage.turns()[0].legs


def test_a_reply_of_a_minute_is_heard_whole() -> None:
    """More than the playout may hold at once: the voice waits for room."""

    async def script(stage: Stage) -> None:
        await stage.speak(2.0, 3.0)
        await stage.until(80.0)

    reply = " ".join(["It is on the third floor on the left, next to the lift."] * 22)
    stage = play(script, ["Where is it?"], [reply])

    assert [reply] == [turn.reply.reveal() for turn in stage.turns()]
    assert 60.0 < len(stage.audible(3.0, 80.0)) * FRAME_S < 65.0


def test_a_turn_whose_beginning_is_lost_is_asked_for_again() -> None:
    """Longer than the ring: better no answer than one to words without their "not"."""

    async def script(stage: Stage) -> None:
        await stage.speak(2.0, 70.0)
        await stage.until(76.0)

    stage = play(script, ["give it to him"], ["Gladly."])

    assert [] == stage.stt.utterances
    assert 2000 == max(level for at, level in stage.levels if at > 70.0)


def test_no_words_make_no_message() -> None:
    """What the gate refused reaches neither the language model nor the history."""
    stage = play(one_question, ["..."], [])

    assert ([], []) == (stage.llm.histories, [n for n in stage.news if isinstance(n, CallerHeard)])


def test_leaving_in_the_middle_of_a_reply_says_goodbye_and_ends_the_call() -> None:
    async def script(stage: Stage) -> None:
        await stage.speak(2.0, 3.0)
        await stage.until(4.5)
        stage.call.leave()
        await stage.until(6.0)

    stage = play(script, ["Hello?"], ["This is a long reply that goes on and on and on."])

    assert GOODBYE_S == pytest.approx(sum(FRAME_S for at, level in stage.levels if level >= 3000))


def test_however_a_call_ends_the_detector_lets_go_and_its_work_is_stale() -> None:
    async def script(stage: Stage) -> None:
        await stage.speak(2.0, 3.0)
        await stage.until(3.6)

    stage = play(script, ["Hello?"], ["Yes."])

    assert ({}, False) == (stage.vad.told, stage.live.take == Take(1, 0))


def test_a_voice_that_tells_its_words_leaves_exactly_those_in_the_history() -> None:
    """A word counts when its last letter was heard, to the frame: nothing is estimated."""

    async def script(stage: Stage) -> None:
        await stage.speak(2.0, 3.0)
        await stage.speak(5.0, 6.5)
        await stage.until(12.0)

    reply = "Please take the lift to the third floor and then turn left at the very long wall."
    voice = FakeVoice(tells_words=True)
    stage = play(script, ["Where is it?", "Stop it."], [reply, "Fine."], voice)

    heard = stage.turns()[0].reply.reveal()
    played_s = len(stage.audible(3.0, 6.5)) * FRAME_S - PLAYOUT_DELAY_MS / 1000
    letters = int(played_s / voice.seconds_a_letter)
    longer = reply[: reply.index(" ", len(heard) + 1)]
    assert reply.startswith(heard)
    assert len(heard) <= letters <= len(longer)
