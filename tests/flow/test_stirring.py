"""A pause at whose end the caller may just be going on."""

import pytest

from voiced.config.agent import Agent, Lines
from voiced.config.settings import TurnPace
from voiced.testing.fakes import FakeLanguageModel, FakeSpeechToText, tone
from voiced.testing.stage import Stage, hold
from voiced.tts.fixed import FixedLine
from voiced.turn.orders import Line, Release
from voiced.words import Words

pytestmark = pytest.mark.flow

AGENT = Agent(
    name="desk",
    languages=("en",),
    prompt="",
    lines={"en": Lines(greeting="Hello.", fallback="Sorry?", goodbye="Goodbye.")},
    voices={"en": "fake"},
    turn=TurnPace(endpoint_delay_ms=500, endpoint_ceiling_ms=1200),
)
FIXED = {line: FixedLine(Words("Hello."), tone(0.5)) for line in Line}


def released(*, stirring: bool, goes_on: bool) -> list[float]:
    """When the answer to speech from 2.0 to 3.0 s was let out; the endpoint is at 3.5 s."""

    async def script(stage: Stage) -> None:
        await stage.speak(2.0, 3.0)
        await stage.until(3.45)
        stage.vad.stirring = stirring
        if goes_on:
            await stage.until(3.56)
            stage.vad.begin(stage.call.name, 3.48)
            await stage.until(4.4)
        await stage.until(5.0)

    def stage() -> Stage:
        stt, llm = FakeSpeechToText(["When?"]), FakeLanguageModel(["At eight."])
        return Stage(agent=AGENT, lines=FIXED, stt=stt, llm=llm)

    decisions = hold(stage, script).decisions
    return [at for at, _, orders in decisions if any(isinstance(o, Release) for o in orders)]


def test_who_goes_on_at_the_last_moment_is_not_cut_off() -> None:
    assert [] == released(stirring=True, goes_on=True)
    assert [3.5] == pytest.approx(released(stirring=False, goes_on=True))


def test_a_click_at_the_last_moment_costs_a_tenth_of_a_second() -> None:
    assert [3.6] == pytest.approx(released(stirring=True, goes_on=False))
