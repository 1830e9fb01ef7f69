"""A loudspeaker that the microphone hears: what comes back is taken out, what is said stays."""

import numpy as np
import pytest

from tests.process.conftest import ROOT
from voiced.audio import file
from voiced.audio.pcm import HEARING_HZ, Pcm
from voiced.talk.room import BLOCK, Room
from voiced.talk.store import Store

pytestmark = pytest.mark.unit

CALLER = ROOT / "tests/data/question_parking.wav"
AGENT = ROOT / "tests/data/question_visiting_hours.wav"
LEARNING_S = 3.0


class Bedside:
    """A loudspeaker and a microphone in one box: an echo after 45 ms, at -12 dB, and the wall's."""

    PATH = ((0.045, 0.25), (0.061, 0.1))

    def __init__(self) -> None:
        self.room = Room()
        self.heard: list[Pcm] = []
        self.sent: list[Pcm] = []

    def hold(self, agent: Pcm, caller: Pcm) -> None:
        """Both speak for as long as the agent does."""
        played = np.zeros(len(agent) + HEARING_HZ, np.float64)
        for begin in range(0, len(agent) - BLOCK, BLOCK):
            echo = sum(
                gain * played[max(at, 0) : max(at + BLOCK, 0)]
                if (at := begin - int(delay * HEARING_HZ)) >= 0
                else np.zeros(BLOCK)
                for delay, gain in self.PATH
            )
            heard = (echo + caller[begin : begin + BLOCK]).astype(np.int16)
            self.room.played.put(agent[begin : begin + BLOCK])
            played[begin : begin + BLOCK] = self.room.turn(heard)
            self.heard.append(heard)
            self.sent.append(self.room.said.take(BLOCK))


def level_db(blocks: list[Pcm], begin_s: float) -> float:
    pcm = np.concatenate(blocks)[int(begin_s * HEARING_HZ) :].astype(np.float64)
    return float(10 * np.log10(np.mean(pcm**2) + 1e-9))


def speech(path: object, seconds: float) -> Pcm:
    pcm = file.read(ROOT / str(path), HEARING_HZ)
    return np.resize(pcm, int(seconds * HEARING_HZ)).astype(np.int16)


def test_what_comes_back_of_the_agents_speech_is_taken_out() -> None:
    bedside = Bedside()
    agent = speech(AGENT, 10.0)
    bedside.hold(agent, np.zeros(len(agent), np.int16))

    loss_db = level_db(bedside.heard, LEARNING_S) - level_db(bedside.sent, LEARNING_S)
    assert loss_db > 25.0


def test_who_speaks_over_the_agent_is_still_heard() -> None:
    bedside = Bedside()
    agent = speech(AGENT, 10.0)
    caller = speech(CALLER, 10.0)
    caller[: int(LEARNING_S * HEARING_HZ)] = 0
    bedside.hold(agent, caller)

    kept_db = level_db(bedside.sent, LEARNING_S) - level_db([caller], LEARNING_S)
    assert -6.0 < kept_db < 3.0


def test_a_store_gives_what_it_was_given_in_order_and_silence_for_the_rest() -> None:
    store = Store(10)
    store.put(np.array([1, 2, 3], np.int16))

    assert [1, 2, 0] == [*store.take(2), *store.take(2)[1:]]
    assert 1 == store.short


def test_a_full_store_drops_the_oldest() -> None:
    store = Store(3)
    store.put(np.arange(5, dtype=np.int16))

    assert ([2, 3, 4], 2) == (list(store.take(3)), store.dropped)


def test_behind_a_shortage_a_cushion_is_laid_again() -> None:
    store = Store(10, wanted=2)
    one = np.array([7], np.int16)
    store.put(one)
    first = store.take(1)
    store.put(one)
    given = [store.take(1), store.take(1), store.take(1)]
    store.put(one)

    assert ([0], [7, 7, 0]) == (list(first), [int(pcm[0]) for pcm in given])
    assert ([0], 1) == (list(store.take(1)), store.short)
