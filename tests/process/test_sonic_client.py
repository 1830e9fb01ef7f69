"""Sonic over real sockets: our client and the vendor's own, against the fake in all its moods."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import numpy as np
import pytest

from voiced.audio.pcm import SPEAKING_HZ, Pcm
from voiced.config.sonic import Sonic, SonicVoice
from voiced.errors import EngineFailed, Stale, UnavailableError
from voiced.flow.breaker import Breaker
from voiced.flow.cancel import Live, Take, Ticket
from voiced.testing.fakes import FakeVoice
from voiced.testing.sonic import FakeSonic
from voiced.testing.sonic_socket import Manner, Misdeed
from voiced.tts.relay import Relay
from voiced.tts.sonic.choir import Choir
from voiced.tts.sonic.voice import SonicVoice as Voice
from voiced.words import Words

pytestmark = [pytest.mark.process, pytest.mark.timeout(240)]

CLAUSE = Words("안녕하세요, 병원입니다.")
SECONDS = len(CLAUSE) * Manner().letter_s


class Line:
    """One caller of a choir of one."""

    def __init__(self, choir: Choir) -> None:
        self.voice: Voice = choir.voices["jia"]
        self.live = Live()
        self.chunks: list[Pcm] = []

    async def say(self, clause: Words = CLAUSE) -> float:
        ticket = Ticket("a", self.live.take, self.live)
        return (await self.voice.speak(clause, self.chunks.append, ticket, first=True)).seconds

    @property
    def seconds(self) -> float:
        return sum(len(one) for one in self.chunks) / SPEAKING_HZ


def sonic(url: str, **more: Any) -> Sonic:
    return Sonic(
        url=url,
        voices=(SonicVoice(name="jia", id="v", language="ko"),),
        first_chunk_deadline_ms=400,
        next_chunk_deadline_ms=400,
        **more,
    )


@asynccontextmanager
async def line_to(fake: FakeSonic, **more: Any) -> AsyncIterator[Line]:
    choir = await Choir.open(sonic(fake.url, **more), {"jia"})
    try:
        await choir.warm()
        yield Line(choir)
    finally:
        await choir.close()


def play(story: Callable[[FakeSonic, Line], Awaitable[None]], manner: Manner | None = None) -> None:
    async def main() -> None:
        async with FakeSonic(manner) as fake, line_to(fake) as line, asyncio.timeout(15):
            await story(fake, line)

    asyncio.run(main())


def test_the_clauses_of_a_reply_are_heard_in_order_and_whole() -> None:
    async def story(fake: FakeSonic, line: Line) -> None:
        assert SECONDS == pytest.approx(await line.say())
        assert SECONDS == pytest.approx(await line.say())
        assert 2 * SECONDS == pytest.approx(line.seconds)
        assert 2 == len(fake.journal.contexts)  # the warming's and the reply's
        assert 1 == fake.journal.connections

    play(story)


def test_two_calls_at_once_do_not_hear_each_other() -> None:
    async def story(fake: FakeSonic, line: Line) -> None:
        heard: dict[str, list[Pcm]] = {"a": [], "b": []}
        long, short = Words("one two three four five"), Words("one")
        await asyncio.gather(
            *(
                line.voice.speak(
                    clause,
                    heard[call].append,
                    Ticket(call, line.live.take, line.live),
                    first=True,
                )
                for call, clause in (("a", long), ("b", short))
            )
        )
        lengths = {call: sum(map(len, chunks)) / SPEAKING_HZ for call, chunks in heard.items()}
        assert {"a": len(long) * 0.05, "b": len(short) * 0.05} == pytest.approx(lengths)

    play(story)


@pytest.mark.parametrize(
    ("misdeed", "reason"),
    [
        (Misdeed.CLOSE, "closed"),
        (Misdeed.STALL, "late"),
        (Misdeed.SILENT, "late"),
        (Misdeed.BUSY, "busy"),
        (Misdeed.REFUSE, "refused"),
        (Misdeed.NAMELESS, "refused"),
        (Misdeed.GARBAGE, "garbled"),
        (Misdeed.ENDLESS, "endless"),
    ],
    ids=lambda value: str(value),
)
@pytest.mark.parametrize("structured", [False, True], ids=["old errors", "new errors"])
def test_the_voice_fails_in_time_and_speaks_again_when_all_is_well(
    misdeed: Misdeed, reason: str, *, structured: bool
) -> None:
    async def story(fake: FakeSonic, line: Line) -> None:
        fake.manner.misdeed = misdeed
        with pytest.raises(EngineFailed) as failed:
            await line.say()
        assert reason == failed.value.reason
        fake.manner.misdeed = Misdeed.NONE
        assert SECONDS == pytest.approx(await _patiently(line))

    play(story, Manner(structured=structured, pace=40.0))


def test_contexts_that_the_server_forgets_at_once_cost_no_word() -> None:
    async def story(fake: FakeSonic, line: Line) -> None:
        fake.manner.misdeed = Misdeed.EXPIRE
        for _ in range(3):
            assert SECONDS == pytest.approx(await line.say())

    play(story)


@pytest.mark.parametrize(
    "manner", [Manner(flushes=False), Manner(odd=True)], ids=["tells no flush", "odd chunks"]
)
def test_other_manners_are_understood(manner: Manner) -> None:
    async def story(fake: FakeSonic, line: Line) -> None:
        assert SECONDS == pytest.approx(await line.say())
        steps = np.abs(np.diff(np.concatenate(line.chunks).astype(np.int32)))
        assert steps.max() < 1000, "a click: the tone's own steps are below it"

    play(story, manner)


def test_after_a_barge_in_what_still_comes_is_dropped() -> None:
    """The server goes on with what it has begun; the next reply has none of it."""

    async def story(fake: FakeSonic, line: Line) -> None:
        def barge_in(_: Pcm) -> None:
            line.live.take = Take(1, 0)

        ticket = Ticket("a", line.live.take, line.live)
        reply = Words("a reply of many words " * 5)
        with pytest.raises(Stale):
            await line.voice.speak(reply, barge_in, ticket, first=True)
        assert SECONDS == pytest.approx(await line.say())
        assert SECONDS == pytest.approx(line.seconds)
        assert 1 == len(fake.journal.cancelled)

    play(story)


def test_a_server_that_hangs_up_on_an_idle_line_costs_the_next_turn_nothing() -> None:
    async def story(fake: FakeSonic, line: Line) -> None:
        await fake.hang_up()
        assert SECONDS == pytest.approx(await _patiently(line))
        assert 2 == fake.journal.connections

    play(story)


def test_a_wrong_key_is_told_at_start() -> None:
    async def main() -> None:
        async with FakeSonic(Manner(key="right")) as fake:
            with pytest.raises(UnavailableError, match="key_file"):
                async with line_to(fake):
                    pass

    asyncio.run(main())


def test_a_worker_without_its_model_is_not_ready() -> None:
    """The port is open, and nothing could be said."""

    async def main() -> None:
        async with FakeSonic(Manner(capacity=0)) as fake:
            pages = {"worker_metrics": (f"{fake.url}/metrics",), "ready_deadline_ms": 600}
            with pytest.raises(UnavailableError, match="no worker has its model loaded"):
                async with line_to(fake, **pages):
                    pass
            fake.manner.capacity = 4
            async with line_to(fake, **pages) as line:
                assert SECONDS == pytest.approx(await line.say())

    asyncio.run(main())


def test_the_vendors_own_client_works_against_the_fake() -> None:
    """What the fake is worth: the vendor's client cannot tell it from the real one."""
    from cartesia import AsyncCartesia

    async def main() -> None:
        async with FakeSonic(Manner(key="k")) as fake, asyncio.timeout(20):
            client = AsyncCartesia(
                api_key="k",
                base_url=fake.url,
                websocket_base_url=fake.url.replace("http", "ws"),
                default_headers={"cartesia-version": "2025-04-16", "X-API-Key": "k"},
            )
            form: Any = {"container": "raw", "encoding": "pcm_s16le", "sample_rate": 24_000}
            voice: Any = {"mode": "id", "id": "v"}
            async with client.tts.websocket_connect() as connection:
                context = connection.context(
                    model_id="sonic-3",
                    voice=voice,
                    output_format=form,
                    language="en",
                    max_buffer_delay_ms=0,
                    timeout=10,
                )
                await context.push("Hello. ")
                await context.push("How are you? ")
                await context.no_more_inputs()
                kinds, sound = [], b""
                async for event in context.receive():
                    kinds.append(event.type)
                    sound += getattr(event, "audio", None) or b""
            assert len("Hello.How are you?") * 0.05 * 48_000 == pytest.approx(len(sound))
            assert [2, "done"] == [kinds.count("flush_done"), kinds[-1]]
            whole = await client.tts.generate(
                model_id="sonic-3", transcript="Hello.", voice=voice, output_format=form
            )
            assert int(6 * 0.05 * 48_000) == len(await whole.read())
            names = [one.name async for one in client.voices.list()]
            assert ["Jia", "Ada"] == names
            cloned = await client.voices.clone(
                clip=("clip.wav", b"RIFF"), name="Kim", language="ko"
            )
            assert cloned.id
            await client.close()

    asyncio.run(main())


def test_in_any_weather_every_clause_of_every_call_is_heard_or_given_up_in_time() -> None:
    """Six calls, a Sonic whose misdeeds change all the while, and callers who barge in: no clause
    hangs, none is heard by another call, and at the end nothing is left open."""

    async def main() -> None:
        weather = random.Random(4)
        async with FakeSonic(Manner(pace=40.0)) as fake, asyncio.timeout(60):
            config = sonic(fake.url, failures=2, pause_ms=200)
            choir = await Choir.open(config, {"jia"})
            local = FakeVoice(ttfb_s=0.01)
            relay = Relay(choir.voices["jia"], local, Breaker(2, 0.2))

            async def call(name: str) -> int:
                live, heard = Live(), 0
                for turn in range(12):
                    live.take = Take(turn, 0)
                    for _ in range(3):
                        ticket = Ticket(name, live.take, live)
                        if weather.random() < 0.15:
                            live.take = Take(turn, 1)
                        try:
                            async with asyncio.timeout(2.5):
                                said = await relay.speak(CLAUSE, lambda _: None, ticket, first=True)
                        except Stale:
                            break
                        assert said.seconds >= SECONDS * 0.99
                        heard += 1
                return heard

            async def change() -> None:
                kinds = [Misdeed.NONE] * 4 + [one for one in Misdeed if one is not Misdeed.ENDLESS]
                while True:
                    fake.manner.misdeed = weather.choice(kinds)
                    if weather.random() < 0.1:
                        await fake.hang_up()
                    await asyncio.sleep(0.05)

            async with asyncio.TaskGroup() as tasks:
                changing = tasks.create_task(change())
                calls = [tasks.create_task(call(name)) for name in "abcdef"]
                heard = await asyncio.gather(*calls)
                changing.cancel()
            assert min(heard) > 12
            assert local.spoken, "nothing ever broke: the weather was too fair"
            fake.manner.misdeed = Misdeed.NONE
            await asyncio.sleep(1.0)
            assert 0 == choir.contexts
            await choir.close()

    asyncio.run(main())


async def _patiently(line: Line) -> float:
    """Says a clause as soon as the line is open again."""
    while True:
        try:
            return await line.say()
        except EngineFailed as failure:
            if failure.reason not in ("unreachable", "closed"):
                raise
            await asyncio.sleep(0.05)
