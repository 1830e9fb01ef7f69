"""A clause on its way: which chunk can wait, and what stops it."""

from collections.abc import Iterator

import numpy as np
import pytest

from voiced import clock
from voiced.audio.pcm import SPEAKING_HZ, Pcm
from voiced.errors import Stale
from voiced.flow.cancel import Live, Take, Ticket
from voiced.gpu.worker import Urgency
from voiced.tts.speech import AHEAD_S, Speech

pytestmark = pytest.mark.unit


def sound(seconds: float) -> Pcm:
    return np.zeros(round(seconds * SPEAKING_HZ), np.int16)


class Hand:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.at = 100.0

    def now(self) -> float:
        return self.at


@pytest.fixture
def hand(monkeypatch: pytest.MonkeyPatch) -> Hand:
    hand = Hand()
    monkeypatch.setattr(clock, "now", hand.now)
    return hand


def speech(*seconds: float, ticket: Ticket | None = None) -> tuple[Speech, list[Pcm]]:
    heard: list[Pcm] = []
    ticket = ticket or Ticket("call", Take(0, 0), Live())
    return Speech(iter([sound(s) for s in seconds]), heard.append, ticket), heard


def test_a_clause_with_sound_to_spare_can_wait_and_one_that_runs_dry_cannot(hand: Hand) -> None:
    """Sound is ahead of the ear from the first chunk on; what is left shrinks as it plays."""
    clause, _ = speech(0.3, AHEAD_S, 0.5)

    assert clause.step()
    assert Urgency.NEXT == clause.urgency
    assert clause.step()
    assert Urgency.SPARE == clause.urgency
    hand.at += 0.5
    assert Urgency.NEXT == clause.urgency


def test_every_chunk_is_given_in_order_and_counted(hand: Hand) -> None:
    clause, heard = speech(0.3, 0.0, 0.5)

    assert [True, True, False] == [clause.step() for _ in range(3)]
    assert [0.3, 0.5] == [len(pcm) / SPEAKING_HZ for pcm in heard]
    assert pytest.approx(0.8) == clause.seconds


def test_a_clause_without_sound_calls_no_sink(hand: Hand) -> None:
    clause, heard = speech(0.0, 0.0)

    assert not clause.step()
    assert ([], 0.0) == (heard, clause.seconds)


def test_a_chunk_whose_take_died_while_it_was_made_is_not_heard(hand: Hand) -> None:
    ticket = Ticket("call", Take(0, 0), Live())
    heard: list[Pcm] = []

    def chunks() -> Iterator[Pcm]:
        yield sound(0.3)
        ticket.live.take = Take(0, 1)
        yield sound(0.3)

    clause = Speech(chunks(), heard.append, ticket)

    assert clause.step()
    with pytest.raises(Stale):
        clause.step()
    assert 1 == len(heard)
