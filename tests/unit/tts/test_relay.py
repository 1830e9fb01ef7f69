"""Who speaks after the first voice broke, what is heard twice, and what is never lost."""

import asyncio
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest

from voiced.audio.pcm import SPEAKING_HZ, Pcm
from voiced.errors import EngineFailed, Stale
from voiced.flow.breaker import Breaker
from voiced.flow.cancel import Live, Take, Ticket
from voiced.ops import metrics
from voiced.tts.model import Sink, Spoken
from voiced.tts.relay import _COURSES, Relay
from voiced.words import Words

pytestmark = pytest.mark.unit

FIRST, SECOND = 1000, 2000
"""Levels by which the two voices can be told apart."""

SECOND_S = SPEAKING_HZ


@dataclass
class Scripted:
    """Speaks a second of its level for each clause, in two chunks; breaks when it is told to."""

    level: int
    breaks: dict[str, int] = field(default_factory=dict)
    """Chunks before the break, by clause."""
    error: BaseException = field(default_factory=lambda: EngineFailed("tts", "closed"))
    said: list[str] = field(default_factory=list)

    async def speak(self, clause: Words, sink: Sink, ticket: Ticket, *, first: bool) -> Spoken:
        self.said.append(clause.reveal())
        for index in range(2):
            if self.breaks.get(clause.reveal()) == index:
                raise self.error
            sink(np.full(SECOND_S // 2, self.level, np.int16))
        return Spoken(1.0, (0.5, 1.0))

    def close(self) -> None:
        """Nothing to end."""


class Ear:
    """A call whose caller hears everything at once."""

    def __init__(self, relay: Relay, call: str = "a") -> None:
        self.relay = relay
        self.heard: list[Pcm] = []
        self.live = Live()
        self.call = call

    def turn(self, number: int) -> None:
        self.live.take = Take(number, 0)

    def hear(self, clause: str) -> Spoken:
        ticket = Ticket(self.call, self.live.take, self.live)
        speaking = self.relay.speak(Words(clause), self.heard.append, ticket, first=True)
        return asyncio.run(speaking)

    @property
    def runs(self) -> list[tuple[int, float]]:
        """Levels, and the seconds of each."""
        if not self.heard:
            return []
        sound = np.concatenate(self.heard)
        edges = [0, *(np.flatnonzero(np.diff(sound)) + 1), len(sound)]
        pairs = itertools.pairwise(edges)
        return [(int(sound[begin]), (end - begin) / SPEAKING_HZ) for begin, end in pairs]


def clock(*instants: float) -> Callable[[], float]:
    """Stands at the last instant that was set."""
    return lambda: instants[-1]


def test_while_the_first_voice_speaks_the_second_is_not_asked() -> None:
    first, second = Scripted(FIRST), Scripted(SECOND)
    ear = Ear(Relay(first, second, now=clock(0.0)))

    assert Spoken(1.0, (0.5, 1.0)) == ear.hear("one")
    assert [] == second.said
    assert [(FIRST, 1.0)] == ear.runs


def test_a_clause_that_broke_unheard_is_said_by_the_second_voice_and_so_is_the_rest() -> None:
    """No word is lost or said twice, and the voice changes once in a turn."""
    first, second = Scripted(FIRST, {"two": 0}), Scripted(SECOND)
    ear = Ear(Relay(first, second, now=clock(0.0)))
    for clause in ("one", "two", "three"):
        ear.hear(clause)

    assert ["one", "two"] == first.said
    assert ["two", "three"] == second.said
    assert [(FIRST, 1.0), (SECOND, 2.0)] == ear.runs


def test_the_next_turn_tries_the_first_voice_again() -> None:
    first, second = Scripted(FIRST, {"one": 0}), Scripted(SECOND)
    ear = Ear(Relay(first, second, now=clock(0.0)))
    ear.turn(1)
    ear.hear("one")
    ear.turn(2)
    ear.hear("two")

    assert ["one", "two"] == first.said
    assert ["one"] == second.said


def test_a_clause_that_was_heard_in_part_is_said_again_whole() -> None:
    """Half a sentence about a dose is worse than one said twice; a silence parts the two."""
    first, second = Scripted(FIRST, {"one": 1}), Scripted(SECOND)
    ear = Ear(Relay(first, second, now=clock(0.0)))

    spoken = ear.hear("one")

    assert [(FIRST, 0.5), (0, 0.2), (SECOND, 1.0)] == ear.runs
    assert 1.7 == pytest.approx(spoken.seconds)
    assert (1.2, 1.7) == pytest.approx(spoken.word_ends)


def test_while_enough_lies_ahead_of_the_ear_half_a_clause_is_not_heard() -> None:
    """Two seconds were made at once, and none of them was heard yet when the third broke."""
    first, second = Scripted(FIRST, {"three": 1}), Scripted(SECOND)
    ear = Ear(Relay(first, second, now=clock(0.0)))
    for clause in ("one", "two", "three"):
        ear.hear(clause)

    assert [(FIRST, 2.0), (SECOND, 1.0)] == ear.runs


def test_what_is_held_back_is_given_when_the_clause_is_whole() -> None:
    ear = Ear(Relay(Scripted(FIRST), Scripted(SECOND), now=clock(0.0)))
    for clause in ("one", "two", "three"):
        ear.hear(clause)

    assert [(FIRST, 3.0)] == ear.runs


def test_nothing_is_held_back_when_the_ear_runs_dry() -> None:
    """Nine seconds later all of it has been heard: a chunk is worth more than its whole clause."""
    now = [0.0]
    first = Scripted(FIRST, {"three": 1})
    ear = Ear(Relay(first, Scripted(SECOND), now=lambda: now[-1]))
    ear.hear("one")
    ear.hear("two")
    now.append(9.0)
    ear.hear("three")

    assert [(FIRST, 2.5), (0, 0.2), (SECOND, 1.0)] == ear.runs


def test_without_a_second_voice_the_turn_fails_and_is_not_tried_again() -> None:
    """A Korean clause is never given to a voice that does not speak Korean: there is none here."""
    first = Scripted(FIRST, {"하나": 0})
    ear = Ear(Relay(first, None, now=clock(0.0)))
    for clause in ("하나", "둘"):
        with pytest.raises(EngineFailed):
            ear.hear(clause)

    assert ["하나"] == first.said
    assert [] == ear.runs


def test_a_first_voice_that_keeps_failing_is_left_alone_for_a_while() -> None:
    first, second = Scripted(FIRST, {"one": 0}), Scripted(SECOND)
    now = [0.0]
    ear = Ear(Relay(first, second, Breaker(2, 10.0), now=lambda: now[-1]))
    for turn in range(4):
        ear.turn(turn)
        ear.hear("one")
    assert 2 == len(first.said)

    now.append(10.0)
    first.breaks.clear()
    for turn in range(4, 6):
        ear.turn(turn)
        ear.hear("one")
    assert 4 == len(first.said)
    assert 4 == len(second.said)


def test_a_turn_of_another_call_does_not_change_this_one() -> None:
    first, second = Scripted(FIRST, {"one": 0}), Scripted(SECOND)
    relay = Relay(first, second, now=clock(0.0))
    Ear(relay, "a").hear("one")
    other = Ear(relay, "b")
    other.hear("two")

    assert [(FIRST, 1.0)] == other.runs


@pytest.mark.parametrize("error", [Stale("tts"), asyncio.CancelledError()], ids=["stale", "cut"])
def test_a_caller_who_barges_in_is_no_break(error: BaseException) -> None:
    first, second = Scripted(FIRST, {"one": 1}, error=error), Scripted(SECOND)
    ear = Ear(Relay(first, second, Breaker(1, 10.0), now=clock(0.0)))
    with pytest.raises(type(error)):
        ear.hear("one")
    ear.turn(1)
    ear.hear("two")

    assert [] == second.said
    assert ["one", "two"] == first.said


def test_a_break_of_a_take_that_is_over_is_not_spoken_over() -> None:
    """The voice broke after the caller barged in: nobody wants the clause from the other."""
    second = Scripted(SECOND)
    ear = Ear(Relay(Scripted(FIRST, {"one": 1}), second, now=clock(0.0)))
    ticket = Ticket("a", ear.live.take, ear.live)

    def sink(pcm: Pcm) -> None:
        ear.turn(7)

    with pytest.raises(Stale):
        asyncio.run(ear.relay.speak(Words("one"), sink, ticket, first=True))
    assert [] == second.said


def test_a_break_is_counted() -> None:
    counted = metrics.VOICE_BREAKS.labels("closed")
    before = counted._value.get(), metrics.VOICE_RELAYED._value.get()
    ear = Ear(Relay(Scripted(FIRST, {"one": 0}), Scripted(SECOND), now=clock(0.0)))
    ear.hear("one")

    assert (before[0] + 1, before[1] + 1) == (
        counted._value.get(),
        metrics.VOICE_RELAYED._value.get(),
    )


def test_calls_that_ended_are_forgotten() -> None:
    relay = Relay(Scripted(FIRST), None, now=clock(0.0))

    async def main() -> None:
        live = Live()
        for number in range(_COURSES + 5):
            ticket = Ticket(str(number), live.take, live)
            await relay.speak(Words("one"), lambda _: None, ticket, first=True)

    asyncio.run(main())
    assert _COURSES == len(relay._courses)
