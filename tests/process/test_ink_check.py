"""What `voiced check` does with Ink: it is asked itself, and no local recogniser answers for it."""

import asyncio
from dataclasses import replace

import numpy as np
import pytest

from voiced.audio.pcm import SPEAKING_HZ
from voiced.call.residents import Residents
from voiced.config.agent import Agent, Lines
from voiced.config.ink import Ink
from voiced.daemon.ink import tried
from voiced.testing.fakes import FakeDetector, FakeLanguageModel, FakeSpeechToText
from voiced.testing.ink import FakeInk, Manner, Misdeed
from voiced.tts.fixed import FixedLine
from voiced.turn.orders import Line
from voiced.words import Words

pytestmark = [pytest.mark.process, pytest.mark.timeout(60)]

ENGLISH = Agent(
    name="desk",
    languages=("en",),
    prompt="-",
    lines={"en": Lines(greeting="a", fallback="b", goodbye="c")},
    voices={"en": "joe"},
)
KOREAN = replace(ENGLISH, name="mirae", languages=("ko",))
BOTH = replace(ENGLISH, name="both", languages=("en", "ko"))


def site(*agents: Agent) -> Residents:
    """Each agent with a greeting of a second."""
    greeting = FixedLine(Words("a"), np.full(SPEAKING_HZ, 1000, np.int16))
    return Residents(
        agents={agent.name: agent for agent in agents},
        default_agent=agents[0].name,
        vad=FakeDetector(),
        stt=FakeSpeechToText([]),
        llm=FakeLanguageModel([]),
        voices={},
        lines={(agent.name, agent.languages[0]): {Line.GREETING: greeting} for agent in agents},
    )


def found(manner: Manner, *agents: Agent) -> tuple[list[tuple[str, str]], FakeInk]:
    """What is told, and the fake that was asked."""

    async def main() -> tuple[list[tuple[str, str]], FakeInk]:
        async with FakeInk(manner) as fake, asyncio.timeout(20):
            return await tried(Ink(url=fake.url, connect_deadline_ms=10_000), site(*agents)), fake

    return asyncio.run(main())


def test_each_language_that_ink_is_to_read_is_read_by_its_model() -> None:
    told, fake = found(Manner(), ENGLISH, KOREAN, replace(ENGLISH, name="night"))

    assert ["", ""] == [fix for _, fix in told]
    assert ["ink-2", "ink-whisper"] == [detail.split()[0] for detail, _ in told]
    assert ["ink-2", "ink-whisper"] == [dict(query)["model"] for query in fake.journal.queries]


@pytest.mark.parametrize("misdeed", [Misdeed.REFUSE, Misdeed.CLOSE, Misdeed.FAIL_NEW])
def test_a_server_that_does_not_read_is_told_with_what_to_do(misdeed: Misdeed) -> None:
    told, _ = found(Manner(misdeed), ENGLISH)

    assert 1 == len(told)
    assert "key_file" in told[0][1]


def test_a_server_that_hears_nothing_in_a_greeting_is_told() -> None:
    told, _ = found(Manner(Misdeed.EMPTY), ENGLISH)

    assert "made no words" in told[0][0]
    assert told[0][1]


def test_a_server_that_is_slower_than_a_call_would_wait_is_there_all_the_same() -> None:
    """A greeting that comes all at once is more to read than the last words of a turn."""
    told, _ = found(Manner(answer_s=1.0), ENGLISH)

    assert "" == told[0][1]


def test_nobody_is_asked_for_agents_that_are_read_here() -> None:
    told, fake = found(Manner(), BOTH)

    assert ([], []) == (told, fake.journal.queries)
