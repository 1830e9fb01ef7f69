"""Reading ahead while the caller speaks, on virtual time."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field

import numpy as np
import pytest

from voiced.audio.pcm import HEARING_HZ
from voiced.call.ahead import Ahead, Line
from voiced.call.hearing import Hearing
from voiced.call.parts import Casting, Engines
from voiced.call.transcript import Transcript
from voiced.config.agent import Agent, Lines
from voiced.config.settings import Vad
from voiced.errors import EngineFailed
from voiced.flow.cancel import Live, Take, Ticket
from voiced.llm.model import Message
from voiced.stt.model import Partial, Utterance
from voiced.testing import virtualtime
from voiced.testing.fakes import FakeSource
from voiced.turn.orders import Span
from voiced.words import NOTHING, Words

pytestmark = pytest.mark.unit

TAKE = Take(1, 0)
AGENT = Agent(
    name="test",
    languages=("en",),
    prompt="",
    lines={"en": Lines(greeting="Hello.", fallback="Sorry?", goodbye="Bye.")},
    voices={"en": "none"},
)


@dataclass
class FakePartials:
    """Each pass takes so long, and gives the next of these texts as stable."""

    stable: list[str]
    seconds: float = 0.1
    passes: list[tuple[float, int]] = field(default_factory=list)
    """When each began, and how many samples it got."""
    failure: Exception | None = None

    async def partial(self, utterance: Utterance, before: Partial | None, _t: object) -> Partial:
        self.passes.append((asyncio.get_running_loop().time(), len(utterance.pcm)))
        await asyncio.sleep(self.seconds)
        if self.failure is not None:
            raise self.failure
        return Partial(Words(self.stable.pop(0)) if self.stable else NOTHING, NOTHING)


@dataclass
class FakeSlot:
    read: list[str] = field(default_factory=list)

    async def prefill(self, history: list[Message], _ticket: object) -> float:
        self.read.append(" / ".join(message.text.reveal() for message in history))
        return 0.0


def follow(
    partials: FakePartials | None,
    seconds: float,
    pace_s: float = 0.5,
    told: list[str] | None = None,
) -> tuple[FakeSlot, Transcript]:
    """The caller speaks for so many seconds; then nobody reads ahead any more."""
    stable = told if told is not None else []
    slot, transcript = FakeSlot(), Transcript()
    transcript.asked(TAKE, Words("Old words"))
    source = FakeSource()
    casting = Casting(AGENT, "en")
    hearing = Hearing(source, None, casting, Vad())  # type: ignore[arg-type]
    engines = Engines(None, None, slot, partials)  # type: ignore[arg-type]

    async def speak() -> None:
        now: Callable[[], float] = asyncio.get_running_loop().time
        line = Line(source, hearing, transcript, casting)
        ahead = Ahead(
            line, engines, pace_s, now, lambda _take, words: stable.append(words.reveal())
        )
        live = Live()
        live.take = TAKE
        ticket = Ticket("call", TAKE, live)
        source.ring.write(np.zeros(HEARING_HZ, np.int16))
        work: Coroutine[None, None, None] = ahead.follow((Span(8000, 8000),), ticket)
        task = asyncio.get_running_loop().create_task(work)
        await asyncio.sleep(seconds)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    virtualtime.run(speak())
    return slot, transcript


def test_what_is_stable_is_read_by_the_language_model_once() -> None:
    slot, _ = follow(FakePartials(["", "I take", "I take", "I take five"]), 3.0)

    assert ["I take", "I take five"] == slot.read


def test_what_is_stable_is_told_each_time_that_there_is_more_of_it() -> None:
    told: list[str] = []
    follow(FakePartials(["", "I have", "I have", "I have chest"]), 3.0, told=told)

    assert ["I have", "I have chest"] == told


def test_nothing_of_it_is_in_the_history() -> None:
    """What is read ahead may be wrong; the final text is another's matter."""
    _, transcript = follow(FakePartials(["", "I take"]), 2.0)

    assert ["Old words"] == [message.text.reveal() for message in transcript.messages()]


def test_the_speech_so_far_is_read_with_its_lead_in() -> None:
    partials = FakePartials([])
    follow(partials, 0.6)

    tail, lead = HEARING_HZ // 5, HEARING_HZ // 2
    assert [HEARING_HZ - 8000 + lead + tail] == [samples for _, samples in partials.passes]


def test_slow_passes_are_rare() -> None:
    """A recogniser that has other work is left alone for four times as long as a pass took."""
    quick, slow = FakePartials([], seconds=0.1), FakePartials([], seconds=1.0)
    follow(quick, 6.0)
    follow(slow, 6.0)

    assert (10, 2) == (len(quick.passes), len(slow.passes))


def test_a_recogniser_that_fails_ends_it_without_a_trace() -> None:
    partials = FakePartials(["I take"], failure=EngineFailed("stt", "broken"))
    slot, _ = follow(partials, 3.0)

    assert ([], 1) == (slot.read, len(partials.passes))


def test_without_a_pace_nothing_is_read() -> None:
    partials = FakePartials(["I take"])
    follow(partials, 3.0, pace_s=0.0)
    follow(None, 3.0)

    assert [] == partials.passes
