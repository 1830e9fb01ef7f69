"""The call of the bench, whose time jumps, with engines that answer at once."""

import asyncio
from dataclasses import dataclass

import numpy as np
import pytest

from voiced.audio.pcm import Pcm
from voiced.bench.turn_ours import Ears, Replayed, replay
from voiced.config.settings import TurnPace, Vad
from voiced.stt.model import Heard, Utterance
from voiced.vad.hysteresis import WINDOW, WINDOW_S
from voiced.words import Words

pytestmark = pytest.mark.unit


@dataclass
class FakeStt:
    text: str = "I would like to see a doctor."
    longest: int = 0

    async def transcribe(self, utterance: Utterance, _ticket: object) -> Heard:
        self.longest = max(self.longest, len(utterance.pcm))
        return Heard(Words(self.text), "en", -0.3, 0.1, 1.0, 5)

    def close(self) -> None: ...


@dataclass
class FakeLlm:
    """Every slot of it is itself."""

    likely: float = 1.0

    def open(self, _agent: object, _call: str) -> "FakeLlm":
        return self

    async def prefill(self, _history: object, _ticket: object) -> float:
        return self.likely

    def close(self) -> None: ...


def played(pattern: str, likely: float, stt: FakeStt | None = None) -> Replayed:
    """`pattern` has a run of ten windows (0.32 s) for each sign: x is speech."""
    speech = [0.9 if sign == "x" else 0.01 for sign in pattern for _ in range(10)]
    pcm: Pcm = np.full(len(speech) * WINDOW, 100, np.int16)
    ears = Ears(stt or FakeStt(), FakeLlm(likely), Vad(), TurnPace(), 2)  # type: ignore[arg-type]
    return asyncio.run(replay(pcm, speech, ears))


def test_a_turn_that_surely_ends_is_answered_at_the_floor() -> None:
    found = played(".xxx......", 1.0)

    assert [40 * WINDOW_S + 0.3] == pytest.approx(found.releases, abs=0.02)


def test_a_turn_that_may_go_on_is_answered_later_and_once() -> None:
    sure, unsure = played(".xxx........", 1.0), played(".xxx........", 0.0001)

    assert 1 == len(unsure.releases)
    assert unsure.releases[0] > sure.releases[0] + 0.5


def test_who_goes_on_within_the_wait_is_not_cut_off() -> None:
    found = played(".xxx.xxx........", 0.0001)

    assert 1 == len(found.releases)
    assert found.releases[0] > 80 * WINDOW_S


def test_each_pause_is_weighed_with_the_words_of_the_whole_turn() -> None:
    stt = FakeStt()
    found = played(".xxx.xxx.....", 0.0001, stt)

    assert [40 * WINDOW_S, 80 * WINDOW_S] == pytest.approx([p.paused_at for p in found.pauses])
    assert {Words(stt.text)} == {pause.words for pause in found.pauses}
    assert stt.longest > 70 * WINDOW


def test_noise_that_was_no_words_is_not_answered() -> None:
    assert [] == played(".x......", 1.0, FakeStt("")).releases


def test_silence_is_not_answered() -> None:
    assert [] == played("........", 1.0).releases
