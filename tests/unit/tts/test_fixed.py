"""Lines that are said word for word: made once, kept, and absent where the agent has none."""

import asyncio
from dataclasses import replace

import pytest

from voiced.audio.pcm import SPEAKING_HZ
from voiced.config.agent import Agent, Lines
from voiced.errors import ConfigError, UnavailableError
from voiced.testing.fakes import FakeVoice
from voiced.tts.fixed import FixedLine, FixedLines
from voiced.turn.orders import Line
from voiced.words import NOTHING, Words

pytestmark = pytest.mark.unit

LINES = Lines(greeting="Hello.", fallback="Sorry?", goodbye="Goodbye.")


def agent(name: str = "desk", **lines: str) -> Agent:
    return Agent(
        name=name,
        languages=("en",),
        prompt="You are the front desk.",
        lines={"en": replace(LINES, **lines)},
        voices={"en": "fake"},
    )


def made(*agents: Agent, voice: FakeVoice | None = None) -> list[dict[Line, FixedLine]]:
    voice = voice or FakeVoice(ttfb_s=0.0)

    async def all_of_them() -> list[dict[Line, FixedLine]]:
        fixed = FixedLines()
        return [dict(await fixed.of(one, "en", voice)) for one in agents]

    return asyncio.run(all_of_them())


def test_lines_that_the_agent_leaves_empty_are_absent() -> None:
    """All but the filler, which is a soft sound then."""
    needed = {Line.GREETING, Line.FALLBACK, Line.GOODBYE}
    (lines,) = made(agent())

    assert needed | {Line.FILLER} == set(lines)
    assert (NOTHING, 0.3) == (
        lines[Line.FILLER].text,
        pytest.approx(len(lines[Line.FILLER].pcm) / SPEAKING_HZ),
    )


def test_every_line_that_is_written_is_there() -> None:
    written = {"one_moment": "One moment.", "red_flag": "Call now.", "device_lost": "I must stop."}

    (found,) = made(agent(**written, consent="May I record?"))

    assert {Line.ONE_MOMENT, Line.RED_FLAG, Line.DEVICE_LOST, Line.CONSENT} <= set(found)


def test_the_disclosure_is_the_beginning_of_the_greeting() -> None:
    (found,) = made(agent(disclosure="I am a machine."))

    assert Words("I am a machine. Hello.") == found[Line.GREETING].text


def test_a_line_is_as_long_as_its_sound_and_knows_its_spoken_form() -> None:
    (found,) = made(agent(consent="Take 5 mg?"))
    line = found[Line.CONSENT]

    assert Words("Take 5 mg?") == line.text
    assert line.timed is not None
    assert Words("Take five milligrams?") == line.timed.form
    assert len("Take five milligrams?") * 0.05 == pytest.approx(len(line.pcm) / SPEAKING_HZ)


def test_a_date_in_a_line_is_that_of_the_agents_country() -> None:
    """And two agents of two countries do not share the line."""
    here = agent("here", consent="Until 12/03/2026?")
    british = replace(here, name="there", locales={"en": "en-GB"})
    american = replace(here, name="far", locales={"en": "en-US"})

    forms = [found[Line.CONSENT].timed for found in made(here, british, american)]
    assert [
        "Until twelve, zero three, twenty twenty-six?",
        "Until twelfth of March, twenty twenty-six?",
        "Until December third, twenty twenty-six?",
    ] == [timed.form.reveal() for timed in forms if timed is not None]


def test_what_two_agents_say_in_one_voice_is_made_once() -> None:
    voice = FakeVoice(ttfb_s=0.0)
    first, second = made(agent("a"), agent("b", goodbye="Bye."), voice=voice)

    assert first[Line.GREETING] is second[Line.GREETING]
    assert ["Hello.", "Sorry?", "Goodbye.", "Bye."] == voice.spoken


@pytest.mark.parametrize("line", ["greeting", "fallback", "goodbye"])
@pytest.mark.parametrize("text", ["", "  ", "😊"])
def test_a_line_that_a_call_cannot_do_without_must_have_words(line: str, text: str) -> None:
    with pytest.raises(ConfigError, match=rf"agent 'desk': lines\.en\.{line}"):
        made(agent(**{line: text}))


def test_a_line_without_words_is_refused_by_name_though_it_may_be_absent() -> None:
    with pytest.raises(ConfigError, match=r"lines\.en\.consent"):
        made(agent(consent="..."))


def test_a_voice_that_fails_is_found_at_start() -> None:
    with pytest.raises(UnavailableError, match="'en'"):
        made(agent(), voice=FakeVoice(ttfb_s=0.0, failing=True))
