"""A caller who goes on in another of the agent's languages: all of it changes at once."""

from dataclasses import replace
from typing import Any

import pytest

from tests.flow.test_call import AGENT, FIXED
from voiced.call.parts import Tongue
from voiced.config.agent import Lines
from voiced.stt.model import Heard, Utterance
from voiced.testing.fakes import FakeLanguageModel, FakeVoice, read_as, tone
from voiced.testing.stage import Stage, hold
from voiced.tts.fixed import FixedLine
from voiced.turn.orders import Line
from voiced.words import Words

pytestmark = pytest.mark.flow

KOREAN = {line: FixedLine(Words(f"({line})"), tone(1.0)) for line in FIXED}
BOTH = replace(
    AGENT,
    languages=("en", "ko"),
    prompts={"ko": "한국어로 대답하세요."},
    lines={**AGENT.lines, "ko": Lines(greeting="네.", fallback="네?", goodbye="네!")},
    voices={"en": "joe", "ko": "jia"},
    locales={"en": "en-US"},
)


class FakeEars:
    """Hears each utterance in the language that the script gives it, and reads it in the one that
    follows from that; asked for another, it reads nothing."""

    def __init__(self, said: list[tuple[str, str]]) -> None:
        self.said = said
        self.asked_in: list[str] = []

    async def transcribe(self, utterance: Utterance, _ticket: object) -> Heard:
        language, text = self.said.pop(0)
        self.asked_in.append(utterance.language)
        if utterance.leaning is None:
            return read_as(text if language == utterance.language else "", utterance)
        leaning = utterance.leaning.after({language: 0.97}, utterance.voiced_s)
        heard = read_as(text if language == leaning.language else "", utterance)
        return replace(heard, language=leaning.language, leaning=leaning)

    def close(self) -> None:
        """Nothing to end."""


class Talk:
    """One call of an agent with two voices."""

    def __init__(self, said: list[tuple[str, str]], replies: list[Any]) -> None:
        self.ears = FakeEars(said)
        self.english, self.korean = FakeVoice(), FakeVoice()
        self.llm = FakeLanguageModel(replies)

    def held(self, script: Any) -> Stage:
        def stage() -> Stage:
            return Stage(
                agent=BOTH,
                lines=FIXED,
                stt=self.ears,
                llm=self.llm,
                voice=self.english,
                tongues={"ko": Tongue(self.korean, KOREAN)},
            )

        return hold(stage, script)


def test_voice_prompt_spoken_forms_and_fixed_lines_change_together() -> None:
    talk = Talk(
        [("en", "How much?"), ("ko", "몇 층에 있어요?"), ("ko", "")],
        ["You pay $5.", "3층입니다.", "-"],
    )

    async def script(stage: Stage) -> None:
        await stage.speak(2.0, 4.0)
        await stage.speak(9.0, 11.0)
        await stage.speak(16.0, 18.0)
        await stage.until(24.0)

    stage = talk.held(script)

    assert ["You pay five dollars."] == talk.english.spoken
    assert ["삼 층입니다."] == talk.korean.spoken
    assert [BOTH.prompts["ko"]] == talk.llm.prompts
    assert ["en", "en", "ko"] == talk.ears.asked_in
    assert ["en", "ko", "ko"] == [turn.language for turn in stage.turns()]
    assert KOREAN[Line.FALLBACK].text == stage.turns()[-1].reply


def test_a_word_of_another_language_changes_nothing() -> None:
    talk = Talk([("ko", "네."), ("en", "How much?")], ["You pay $5."])

    async def script(stage: Stage) -> None:
        await stage.speak(2.0, 2.4)
        await stage.speak(9.0, 11.0)
        await stage.until(16.0)

    talk.held(script)

    assert [] == talk.llm.prompts
    assert [] == talk.korean.spoken
    assert ["You pay five dollars."] == talk.english.spoken


def test_words_over_the_agent_that_leave_it_the_floor_do_not_change_its_voice() -> None:
    """Somebody in the room says a sentence in Korean: the reply goes on as it began."""
    talk = Talk(
        [("en", "How much?"), ("ko", "네 네 네")],
        ["You pay five dollars. It is not a lot. Do you have so much on you today?"],
    )

    async def script(stage: Stage) -> None:
        await stage.speak(2.0, 4.0)
        await stage.speak(6.0, 6.6)
        await stage.until(16.0)

    talk.held(script)

    assert [] == talk.korean.spoken


def test_a_sentence_over_the_agent_that_takes_the_floor_is_answered_in_its_language() -> None:
    talk = Talk(
        [
            ("en", "How much?"),
            ("ko", "잠깐만요, 몇 층에 있어요?"),
            ("ko", "잠깐만요, 몇 층에 있어요?"),
        ],
        ["You pay five dollars, and a lot more later on, when everything is done.", "3층입니다."],
    )

    async def script(stage: Stage) -> None:
        await stage.speak(2.0, 4.0)
        await stage.speak(6.0, 8.0)
        await stage.until(16.0)

    talk.held(script)

    assert ["삼 층입니다."] == talk.korean.spoken


def test_a_turn_that_goes_on_in_english_is_answered_in_english() -> None:
    """What its first part seemed to be counts no more once the whole of it is read."""
    talk = Talk(
        [("ko", "몇 층에"), ("en", "Which floor is it on, please?")], ["3층입니다.", "The third."]
    )

    async def script(stage: Stage) -> None:
        await stage.speak(2.0, 4.0)
        await stage.speak(4.4, 6.6)
        await stage.until(12.0)

    stage = talk.held(script)

    assert ["en"] == [turn.language for turn in stage.turns()]
    assert [BOTH.prompts["ko"], BOTH.prompt] == talk.llm.prompts
    assert "The third." == talk.english.spoken[-1]


def test_a_word_over_the_agent_is_read_in_the_language_that_it_speaks() -> None:
    """The turn that brought the language is over: it is not weighed again."""
    talk = Talk(
        [("ko", "몇 층에 있어요?"), ("ko", "네")],
        ["3층에 있고 엘리베이터를 타고 올라가시면 바로 앞에 보입니다."],
    )

    async def script(stage: Stage) -> None:
        await stage.speak(2.0, 4.0)
        await stage.speak(5.5, 6.0)
        await stage.until(12.0)

    talk.held(script)

    assert ["en", "ko"] == talk.ears.asked_in
