"""Ink over real sockets, against a fake in all its moods: no turn is lost or read twice."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from voiced.audio.pcm import HEARING_HZ, Pcm
from voiced.config.agent import Agent, Lines
from voiced.config.ink import Ink as Settings
from voiced.flow.cancel import Live, Ticket
from voiced.stt.ink.ears import InkEars
from voiced.stt.ink.ink import serving
from voiced.stt.model import Heard, Partial, Utterance
from voiced.testing.fakes import read_as
from voiced.testing.ink import FakeInk, Manner, Misdeed
from voiced.words import NOTHING, Words

pytestmark = [pytest.mark.process, pytest.mark.timeout(60)]

TAIL = np.zeros(HEARING_HZ // 5, np.int16)
AGENT = Agent(
    name="desk",
    languages=("en",),
    prompt="-",
    lines={"en": Lines(greeting="a", fallback="b", goodbye="c")},
    voices={"en": "joe"},
    hotwords=("metformin", "Doctor Kim"),
)
LOCAL = "read here"


class Local:
    """This machine's recogniser; remembers how much sound it was given."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def transcribe(self, utterance: Utterance, _ticket: object) -> Heard:
        self.seconds.append(len(utterance.pcm) / HEARING_HZ)
        return read_as(LOCAL, utterance)

    async def partial(self, _utterance: Utterance, _before: object, _ticket: object) -> Partial:
        return Partial(NOTHING, Words(LOCAL))


def speech(seconds: float, seed: int = 1) -> Pcm:
    """Sound in which no sample is zero, and none is as in another's."""
    pcm = np.random.default_rng(seed).integers(1, 3000, int(seconds * HEARING_HZ))
    return pcm.astype(np.int16)


class Call:
    """One caller of Ink."""

    def __init__(self, ears: InkEars, local: Local, fake: FakeInk) -> None:
        self.ears, self.local, self.fake = ears, local, fake
        self._live = Live()

    async def turn(self, *parts: Pcm) -> str:
        """What is read of these parts and the silence behind them."""
        heard = await self.ears.transcribe(self._utterance(*parts), self._ticket())
        return heard.text.reveal()

    async def look(self, *parts: Pcm, before: Partial | None = None) -> Partial:
        """What is read of a turn that goes on."""
        return await self.ears.partial(self._utterance(*parts), before, self._ticket())

    def _utterance(self, *parts: Pcm) -> Utterance:
        return Utterance(np.concatenate([*parts, TAIL]), "en", voiced_s=1.0)

    def _ticket(self) -> Ticket:
        return Ticket("call", self._live.take, self._live)


Story = Callable[[Call], Awaitable[None]]


def play(story: Story, manner: Manner | None = None, agent: Agent = AGENT, **more: Any) -> FakeInk:
    async def main() -> FakeInk:
        async with FakeInk(manner) as fake, asyncio.timeout(20):
            settings = Settings(url=fake.url, **{"connect_deadline_ms": 300, **more})
            async with serving(settings) as ink:
                local = Local()
                ears = ink.open(agent, local)
                assert ears is not None
                await story(Call(ears, local, fake))
                ears.close()
            return fake

    return asyncio.run(main())


def test_turns_are_read_in_order_each_once() -> None:
    async def story(call: Call) -> None:
        assert "one two three four" == await call.turn(speech(1.0))
        assert "five six seven eight nine ten" == await call.turn(speech(1.5, seed=2))
        assert [] == call.local.seconds

    fake = play(story)

    assert ["finalize"] * 2 == fake.journal.texts
    assert int(2.9 * HEARING_HZ) == fake.journal.samples
    assert 0 == fake.journal.odd


def test_what_was_sent_while_the_caller_spoke_is_not_sent_again() -> None:
    """At the pause only the last of it is on its way."""

    async def story(call: Call) -> None:
        whole = speech(2.0)
        first = await call.look(whole[: HEARING_HZ // 2])
        await asyncio.sleep(0.1)
        second = await call.look(whole[:HEARING_HZ], before=first)
        await asyncio.sleep(0.1)
        third = await call.look(whole[: 3 * HEARING_HZ // 2], before=second)

        assert "one two" == third.stable.reveal()[:7]
        assert "one two three four five six seven eight" == await call.turn(whole)

    fake = play(story)

    assert int(2.2 * HEARING_HZ) == fake.journal.samples
    assert ["finalize"] == fake.journal.texts


def test_a_caller_who_speaks_on_behind_the_pause_is_read_as_one_turn() -> None:
    async def story(call: Call) -> None:
        begin, more = speech(1.0), speech(0.5, seed=2)
        assert "one two three four" == await call.turn(begin)
        assert "one two three four five six" == await call.turn(begin, TAIL, more)

    fake = play(story)

    assert int(1.9 * HEARING_HZ) == fake.journal.samples


def test_noise_that_never_became_a_turn_is_in_no_other() -> None:
    async def story(call: Call) -> None:
        await call.look(speech(1.0))
        await call.look(speech(0.75, seed=3))
        assert "eight nine" == await call.turn(speech(0.5, seed=4))

    play(story)


def test_words_that_are_made_final_on_the_way_join_the_rest() -> None:
    async def story(call: Call) -> None:
        assert "one two three four" == await call.turn(speech(1.0))

    play(story, Manner(commits=True))


@pytest.mark.parametrize(
    "misdeed",
    [
        Misdeed.FLUSH_FIRST,
        Misdeed.FLUSH_TWICE,
        Misdeed.TWICE,
        Misdeed.STALE_INTERIM,
        Misdeed.UNKNOWN,
        Misdeed.COMPLAIN,
    ],
)
def test_what_servers_do_differently_changes_no_word(misdeed: Misdeed) -> None:
    async def story(call: Call) -> None:
        assert "one two three four" == await call.turn(speech(1.0))
        await asyncio.sleep(0.1)
        assert "five six seven" == await call.turn(speech(0.75, seed=2))
        assert [] == call.local.seconds

    play(story, Manner(misdeed))


@pytest.mark.parametrize(
    "misdeed",
    [
        Misdeed.CLOSE,
        Misdeed.ABORT,
        Misdeed.MUTE,
        Misdeed.LATE,
        Misdeed.NO_FLUSH,
        Misdeed.EMPTY,
        Misdeed.GARBAGE,
        Misdeed.LIST,
        Misdeed.NUMBER,
        Misdeed.FAIL_OLD,
        Misdeed.FAIL_NEW,
        Misdeed.BUSY,
    ],
)
def test_a_turn_that_ink_does_not_read_is_read_here_and_whole(misdeed: Misdeed) -> None:
    """Also what was sent of it before; and the next turn is Ink's again, without a word of this."""

    async def story(call: Call) -> None:
        await call.fake.connected()
        whole = speech(1.0)
        await call.look(whole[: HEARING_HZ // 2])
        assert LOCAL == await call.turn(whole)
        assert [1.2] == call.local.seconds

        call.fake.manner.misdeed = Misdeed.NONE
        await call.fake.connected(times=1 if misdeed is Misdeed.EMPTY else 2)
        await asyncio.sleep(0.1)
        text = await call.turn(speech(0.5, seed=2))
        assert ("five six" if misdeed is Misdeed.EMPTY else "one two") == text

    play(story, Manner(misdeed, late_s=0.6))


@pytest.mark.parametrize("misdeed", [Misdeed.REFUSE, Misdeed.HANG])
def test_a_server_that_takes_no_calls_costs_a_turn_nothing_but_a_moment(misdeed: Misdeed) -> None:
    async def story(call: Call) -> None:
        begun = asyncio.get_running_loop().time()
        for _ in range(5):
            assert LOCAL == await call.turn(speech(1.0))
        assert 2.0 > asyncio.get_running_loop().time() - begun

    play(story, Manner(misdeed))


def test_a_key_that_is_refused_is_no_end_of_a_call() -> None:
    async def story(call: Call) -> None:
        assert LOCAL == await call.turn(speech(1.0))

    play(story, Manner(key="k"))


def test_a_connection_that_breaks_between_two_turns_is_opened_again() -> None:
    async def story(call: Call) -> None:
        assert "one two" == await call.turn(speech(0.5))
        await call.fake.hang_up()
        await call.fake.connected(times=2)
        await asyncio.sleep(0.1)
        assert "one two three" == await call.turn(speech(0.75, seed=2))
        assert [] == call.local.seconds

    play(story)


def test_after_some_failures_it_is_left_alone_for_a_while() -> None:
    async def story(call: Call) -> None:
        for times in (1, 2):
            await call.fake.connected(times)
            await asyncio.sleep(0.1)
            assert LOCAL == await call.turn(speech(0.5, seed=times))
        await call.fake.connected(times=3)
        assert LOCAL == await call.turn(speech(0.5, seed=4))
        assert LOCAL == await call.turn(speech(0.5, seed=5))
        assert 2 == len(call.fake.journal.texts)

    play(story, Manner(Misdeed.MUTE), failures=2, final_deadline_ms=100)


def test_two_calls_hear_each_their_own() -> None:
    async def main() -> None:
        async with FakeInk() as fake, serving(Settings(url=fake.url)) as ink, asyncio.timeout(20):
            local = Local()
            calls = [Call(ears, local, fake) for _ in "ab" if (ears := ink.open(AGENT, local))]
            for _ in range(3):
                texts = await asyncio.gather(
                    *(call.turn(speech(0.5 + n, seed=n)) for n, call in enumerate(calls))
                )
                assert [2, 6] == [len(text.split()) for text in texts]
            for call in calls:
                call.ears.close()

    asyncio.run(main())


def test_hotwords_are_told_as_the_server_reads_them() -> None:
    async def story(call: Call) -> None:
        await call.turn(speech(0.5))

    fake = play(story)

    assert [
        ("model", "ink-2"),
        ("language", "en"),
        ("encoding", "pcm_s16le"),
        ("sample_rate", "16000"),
        ("keyterm", "metformin"),
        ("keyterm", "Doctor Kim"),
    ] == fake.journal.queries[0]
    assert "keyterm=Doctor%20Kim" in fake.journal.raw[0]


def test_another_language_has_another_model_and_no_hotwords() -> None:
    async def story(call: Call) -> None:
        await call.turn(speech(0.5))

    korean = replace(AGENT, languages=("ko",), lines={"ko": AGENT.lines["en"]})
    fake = play(story, agent=korean)

    assert [("model", "ink-whisper"), ("language", "ko")] == fake.journal.queries[0][:2]
    assert "keyterm" not in dict(fake.journal.queries[0])


def test_an_agent_of_two_languages_and_a_language_without_a_model_are_read_here() -> None:
    async def main() -> None:
        settings = Settings(url="http://127.0.0.1:9", others="")
        async with serving(settings) as ink:
            assert ink.open(replace(AGENT, languages=("en", "ko")), Local()) is None
            assert ink.open(replace(AGENT, languages=("ko",)), Local()) is None

    asyncio.run(main())
