"""Clauses in, sound out, against a scripted server on virtual time."""

import asyncio
import dataclasses
import itertools
from collections.abc import Awaitable, Callable

import numpy as np
import pytest

from tests.unit.tts.sonic.conftest import (
    DONE,
    FLUSHED,
    JIA,
    SONIC,
    WHOLE,
    Ear,
    Reply,
    ScriptedLink,
    Server,
    chunk,
    raw,
    refusal,
)
from voiced.errors import EngineFailed, Stale
from voiced.flow.cancel import Live, Take, Ticket
from voiced.testing import virtualtime
from voiced.tts.lexicon import Entry, Lexicon, Said
from voiced.tts.model import Spoken
from voiced.tts.sonic import wire
from voiced.tts.sonic.voice import SonicVoice
from voiced.words import Words

pytestmark = pytest.mark.unit

CLAUSE = Words("안녕하세요.")


class Line:
    """One call that speaks with the scripted server's voice."""

    def __init__(self, server: Server) -> None:
        self.link = ScriptedLink(server)
        self.voice = SonicVoice(self.link, SONIC, JIA)
        self.live = Live()
        self.ear = Ear()

    async def say(self, clause: Words = CLAUSE, call: str = "a") -> Spoken:
        ticket = Ticket(call, self.live.take, self.live)
        return await self.voice.speak(clause, self.ear.put, ticket, first=True)


Story = Callable[[Line], Awaitable[None]]


def play(server: Server, story: Story) -> Line:
    """The story, and then a second in which nothing is left over."""

    async def main() -> Line:
        line = Line(server)
        await story(line)
        await asyncio.sleep(1.0)
        assert 0 == line.link.contexts, "a context is still attached"
        return line

    return virtualtime.run(main())


def now() -> float:
    return asyncio.get_running_loop().time()


def test_a_clause_is_whole_when_all_its_sound_has_come(server: Server) -> None:
    async def story(line: Line) -> None:
        server.replies = [WHOLE]
        assert Spoken(1.0) == await line.say()
        assert 0.21 == pytest.approx(now())

    line = play(server, story)
    assert 1.0 == line.ear.seconds


def test_the_clauses_of_a_reply_share_a_context(server: Server) -> None:
    """So the melody goes on; what was sent is the words and a space, so that they join."""

    async def story(line: Line) -> None:
        server.replies = [WHOLE, WHOLE]
        await line.say(Words("We open at nine."))
        await asyncio.sleep(0.5)
        await line.say(Words("On Sundays at ten."))

    play(server, story)
    assert [0, 0] == server.contexts
    assert ["We open at nine. ", "On Sundays at ten. ", ""] == [
        one["transcript"] for one in server.sent
    ]


def test_each_clause_gives_the_context_its_whole_rest_again(server: Server) -> None:
    """The third comes 1.2 s after the first was over, and 0.5 s after the second."""

    async def story(line: Line) -> None:
        server.replies = [WHOLE, WHOLE, WHOLE]
        for _ in range(3):
            await line.say()
            await asyncio.sleep(0.5)

    play(server, story)
    assert [0, 0, 0] == server.contexts


def test_a_context_that_rests_too_long_is_ended_and_a_new_one_begun(server: Server) -> None:
    async def story(line: Line) -> None:
        server.replies = [WHOLE, WHOLE]
        await line.say()
        await asyncio.sleep(0.9)
        assert 1 == server.ended
        await line.say()

    play(server, story)
    assert [0, 1] == server.contexts


def test_a_context_that_the_server_forgot_is_replaced_without_a_break(server: Server) -> None:
    """Ours and the server's idea of a second differ; the clause is said all the same."""

    async def story(line: Line) -> None:
        server.replies = [WHOLE, [(0.01, refusal())], WHOLE]
        await line.say()
        assert Spoken(1.0) == await line.say()

    line = play(server, story)
    assert [0, 0, 1] == server.contexts
    assert 2.0 == line.ear.seconds


def test_two_calls_never_share_a_context(server: Server) -> None:
    async def story(line: Line) -> None:
        server.replies = [WHOLE, WHOLE]
        await asyncio.gather(line.say(call="a"), line.say(call="b"))

    play(server, story)
    assert [0, 1] == server.contexts


def test_a_new_take_has_a_new_context(server: Server) -> None:
    async def story(line: Line) -> None:
        server.replies = [WHOLE, WHOLE]
        await line.say()
        line.live.take = Take(1, 1)
        await line.say()

    play(server, story)
    assert [0, 1] == server.contexts


def test_a_caller_who_barges_in_hears_no_more_of_it(server: Server) -> None:
    """The server is told, and goes on all the same: what still comes reaches nobody."""

    async def story(line: Line) -> None:
        def barge_in() -> None:
            line.live.take = Take(2, 0)

        line.ear.then = barge_in
        server.replies = [[(0.1, chunk(0.5)), (0.2, chunk(0.5)), (0.5, chunk(0.5)), (0.6, FLUSHED)]]
        with pytest.raises(Stale):
            await line.say()

    line = play(server, story)
    assert 1 == server.cancelled
    assert 0.5 == line.ear.seconds


def test_work_that_is_cut_off_cancels_at_the_server_too(server: Server) -> None:
    async def story(line: Line) -> None:
        server.replies = [WHOLE]
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.15):
                await line.say()

    line = play(server, story)
    assert 1 == server.cancelled
    assert 0.5 == line.ear.seconds


def test_a_ticket_that_is_stale_already_asks_for_nothing(server: Server) -> None:
    async def story(line: Line) -> None:
        ticket = Ticket("a", Take(9, 9), line.live)
        with pytest.raises(Stale):
            await line.voice.speak(CLAUSE, line.ear.put, ticket, first=True)

    play(server, story)
    assert [] == server.sent


@pytest.mark.parametrize("clause", ["", " ", "...", "—", "😊", "<>"], ids=range(6))
def test_a_clause_without_words_is_silent_and_asks_for_nothing(server: Server, clause: str) -> None:
    async def story(line: Line) -> None:
        assert Spoken(0.0) == await line.say(Words(clause))

    play(server, story)
    assert [] == server.sent


@pytest.mark.parametrize(
    ("reply", "reason", "at"),
    [
        ([], "late", 1.5),
        ([(0.1, FLUSHED)], "late", 1.5),
        ([(0.1, raw(b"")), (1.4, raw(b""))], "late", 1.5),
        ([(0.1, refusal(429))], "busy", 0.1),
        ([(0.1, refusal(401))], "key refused", 0.1),
        ([(0.1, refusal(400))], "refused", 0.1),
        ([(0.1, refusal(503))], "failed", 0.1),
        ([(0.1, {**refusal(500), "nobody": True})], "failed", 0.1),
        ([(0.1, DONE)], "silent", 0.1),
        ([(0.1, chunk(0.5)), (0.2, refusal(500))], "failed", 0.2),
        ([(0.1, chunk(0.5)), (0.2, refusal(400))], "refused", 0.2),
    ],
    ids=[
        "nothing",
        "no sound",
        "empty sound",
        "busy",
        "key",
        "refused",
        "down",
        "nameless",
        "done without sound",
        "fails in the middle",
        "refused in the middle",
    ],
)
def test_whatever_goes_wrong_the_voice_fails_in_time(
    server: Server, reply: Reply, reason: str, at: float
) -> None:
    """The reason is static, and of the server's sentence nothing is in it."""

    async def story(line: Line) -> None:
        server.replies = [reply]
        with pytest.raises(EngineFailed) as failed:
            await line.say()
        assert ("tts", reason) == (failed.value.stage, failed.value.reason)
        assert at == pytest.approx(now())

    play(server, story)
    assert 1 == server.cancelled


def test_a_clause_that_falls_silent_has_failed_after_a_second(server: Server) -> None:
    async def story(line: Line) -> None:
        server.replies = [[(0.1, chunk(0.5))]]
        server.at_the_end = []
        with pytest.raises(EngineFailed, match="late"):
            await line.say()
        assert 1.1 == pytest.approx(now())

    play(server, story)


def test_a_server_that_tells_no_flush_is_understood_too(server: Server) -> None:
    """After half the patience the context is ended, and its `done` says that it was whole."""

    async def story(line: Line) -> None:
        server.replies = [[(0.1, chunk(0.5)), (0.2, chunk(0.5))], WHOLE]
        assert Spoken(1.0) == await line.say()
        assert 0.71 == pytest.approx(now())
        assert Spoken(1.0) == await line.say()

    play(server, story)
    assert [0, 1] == server.contexts


def test_a_slow_clause_is_not_cut_by_our_ending_it(server: Server) -> None:
    """Sound that comes after we ended the context still counts, up to `done`."""

    async def story(line: Line) -> None:
        server.replies = [[(0.1, chunk(0.5)), (0.9, chunk(0.5)), (0.91, FLUSHED)]]
        server.at_the_end = [(0.5, DONE)]
        assert Spoken(1.0) == await line.say()

    play(server, story)


def test_a_second_flush_of_the_clause_before_does_not_end_this_one(server: Server) -> None:
    async def story(line: Line) -> None:
        server.replies = [[*WHOLE, (0.22, FLUSHED)], WHOLE]
        await line.say()
        await asyncio.sleep(0.1)
        assert Spoken(1.0) == await line.say()

    line = play(server, story)
    assert 2.0 == line.ear.seconds


def test_a_voice_that_never_stops_is_stopped(server: Server) -> None:
    async def story(line: Line) -> None:
        server.replies = [[(0.1 * n, chunk(1.0)) for n in range(1, 200)]]
        with pytest.raises(EngineFailed, match="endless"):
            await line.say()
        assert now() < 7.0

    play(server, story)


def test_a_voice_that_drips_is_stopped(server: Server) -> None:
    """A sample every 0.4 s keeps each deadline and says nothing."""

    async def story(line: Line) -> None:
        server.replies = [[(0.4 * n, raw(b"\1\1")) for n in range(1, 1000)]]
        with pytest.raises(EngineFailed, match="endless"):
            await line.say()
        assert now() < 61.0

    play(server, story)


def test_chunks_that_end_inside_a_sample_join_without_noise(server: Server) -> None:
    async def story(line: Line) -> None:
        sound = np.arange(-500, 500, dtype="<i2").tobytes()
        cuts = [0, 1, 4, 999, 1001, len(sound)]
        pieces = [sound[a:b] for a, b in itertools.pairwise(cuts)]
        server.replies = [
            [*((0.1 + 0.01 * n, raw(piece)) for n, piece in enumerate(pieces)), (0.2, FLUSHED)]
        ]
        await line.say()

    line = play(server, story)
    assert list(range(-500, 500)) == np.concatenate(line.ear.chunks).tolist()


def test_a_lost_connection_ends_the_context_and_the_next_clause_has_a_new_one(
    server: Server,
) -> None:
    async def story(line: Line) -> None:
        server.replies = [WHOLE, WHOLE]
        await line.say()
        line.link._everybody(wire.Trouble(None, "closed"))
        assert Spoken(1.0) == await line.say()

    play(server, story)
    assert [0, 1] == server.contexts


def test_without_a_connection_it_fails_at_once(server: Server) -> None:
    async def story(line: Line) -> None:
        server.reachable = False
        with pytest.raises(EngineFailed, match="unreachable"):
            await line.say()
        assert 0.0 == now()

    play(server, story)


def test_closing_ends_what_rests(server: Server) -> None:
    async def story(line: Line) -> None:
        server.replies = [WHOLE]
        await line.say()
        line.voice.close()
        assert 1 == server.ended

    play(server, story)


def test_warming_says_something_that_every_language_can_say(server: Server) -> None:
    async def story(line: Line) -> None:
        server.replies = [WHOLE]
        await line.voice.warm()
        assert 0.0 == line.ear.seconds

    play(server, story)
    assert "1, 2, 3. " == server.sent[0]["transcript"]


def test_the_sites_lexicon_is_heard_in_this_voice_too(server: Server) -> None:
    async def story(line: Line) -> None:
        words = Lexicon("ko", (Entry("타이레놀", Said(say="타이레놀정"), ""),))
        line.voice = SonicVoice(line.link, SONIC, JIA, words)
        server.replies = [WHOLE]
        await line.say(Words("타이레놀을 드세요."))

    play(server, story)
    assert "타이레놀정을 드세요. " == server.sent[0]["transcript"]


def test_a_gain_makes_it_as_loud_as_the_voice_that_steps_in(server: Server) -> None:
    """And what would be too loud is bent, not wrapped."""

    async def story(line: Line) -> None:
        line.voice = SonicVoice(line.link, SONIC, dataclasses.replace(JIA, gain=2.0))
        server.replies = [[(0.1, chunk(0.5, 1000)), (0.2, chunk(0.5, 30_000)), (0.21, FLUSHED)]]
        await line.say()

    heard = np.concatenate(play(server, story).ear.chunks)
    assert 2000 == pytest.approx(int(heard[0]), abs=1)
    assert 28_000 < int(heard[-1]) < 32_768
