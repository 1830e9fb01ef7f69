"""Callers who are faster than the engines: nothing lags behind, nothing stays busy."""

import pytest

from tests.flow.test_call import AGENT, FIXED, play
from voiced.audio.pcm import FRAME_S
from voiced.testing.fakes import FakeLanguageModel, FakeSpeechToText
from voiced.testing.stage import Stage, hold
from voiced.turn.facts import SpeechStopped

pytestmark = pytest.mark.flow

LONG = "You can visit every day from ten until eight, and on Sundays from nine until six."


class SlowAtFirst(FakeSpeechToText):
    """Takes two seconds for the first utterance."""

    async def transcribe(self, utterance, ticket):  # type: ignore[no-untyped-def]
        self.delay_s = 2.0 if not self.utterances else 0.2
        return await super().transcribe(utterance, ticket)


def test_who_speaks_on_while_the_recogniser_lags_is_heard_on_time() -> None:
    """The second pause is noticed when it is, and both stretches are one question."""

    async def script(stage: Stage) -> None:
        await stage.speak(2.0, 3.0)
        await stage.speak(3.4, 4.4)
        await stage.until(10.0)

    def slow() -> Stage:
        stt = SlowAtFirst(["When?", "When can I visit?"])
        return Stage(agent=AGENT, lines=FIXED, stt=stt, llm=FakeLanguageModel([LONG] * 2))

    stage = hold(slow, script)
    stops = [(at, fact.at) for at, fact, _ in stage.decisions if isinstance(fact, SpeechStopped)]

    assert [0.096, 0.096] == pytest.approx([told - was for told, was in stops])
    assert 1 == len(stage.turns())
    assert stage.audible(4.4, 10.0)[0] < 4.4 + 1.3


def test_after_ten_barge_ins_in_ten_seconds_the_next_question_is_answered_as_ever() -> None:
    async def script(stage: Stage) -> None:
        await stage.speak(2.0, 3.0)
        for second in range(10):
            await stage.speak(5.0 + second, 5.5 + second)
        await stage.until(30.0)
        await stage.speak(31.0, 32.0)
        await stage.until(36.0)

    texts = ["When can I visit?", *["Stop."] * 10, *["And where?"] * 12]
    stage = play(script, texts, [LONG] * 20)
    calm = play(quiet_question, ["When can I visit?"], [LONG])

    waited = stage.audible(31.5, 36.0)[0] - 32.0
    assert calm.audible(2.5, 8.0)[0] - 3.0 == pytest.approx(waited, abs=2 * FRAME_S)
    assert [] == stage.unexpected


async def quiet_question(stage: Stage) -> None:
    await stage.speak(2.0, 3.0)
    await stage.until(8.0)
