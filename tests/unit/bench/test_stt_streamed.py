"""A clip as a call hears it, with a recogniser and a detector that are told what to say."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from voiced.audio.pcm import HEARING_HZ, Pcm
from voiced.bench.stt_streamed import Stream
from voiced.config.settings import Settings
from voiced.stt.model import Heard, Partial, Utterance
from voiced.vad.hysteresis import WINDOW, WINDOW_S
from voiced.words import NOTHING, Words

pytestmark = pytest.mark.unit


@dataclass
class FakeStt:
    finals: list[int] = field(default_factory=list)
    passes: list[int] = field(default_factory=list)

    async def transcribe(self, utterance: Utterance, _ticket: object) -> Heard:
        self.finals.append(len(utterance.pcm))
        return Heard(Words(f"text {len(self.finals)}"), "en", -0.3, 0.1, 1.0, 5)

    async def partial(self, utterance: Utterance, _before: object, _t: object) -> Partial:
        self.passes.append(len(utterance.pcm))
        return Partial(NOTHING, NOTHING)


class Slow(FakeStt):
    """Gives a pass up when a final waits, and not before."""

    def __init__(self) -> None:
        super().__init__()
        self._pressed = asyncio.Event()

    async def transcribe(self, utterance: Utterance, ticket: object) -> Heard:
        self._pressed.set()
        return await super().transcribe(utterance, ticket)

    async def partial(self, utterance: Utterance, before: object, ticket: object) -> Partial:
        await self._pressed.wait()
        return await super().partial(utterance, before, ticket)


class FakeDetector:
    """Hears speech where there is any sound."""

    def judge(self, windows: Sequence[Pcm], _memories: object) -> list[float]:
        return [0.9 if np.abs(window).max() > 500 else 0.01 for window in windows]


def read(pattern: str, stt: FakeStt | None = None) -> tuple[float, str, FakeStt]:
    """`pattern` has a run of ten windows (0.32 s) for each sign: x is speech."""
    loud = [3000 if sign == "x" else 10 for sign in pattern for _ in range(10)]
    chance = np.random.default_rng(1)
    pcm = np.concatenate([chance.normal(0, level, WINDOW) for level in loud]).astype(np.int16)
    stt = stt or FakeStt()
    stream = Stream(stt, FakeDetector(), Settings())  # type: ignore[arg-type]
    return (*asyncio.run(stream.read(pcm, "en")), stt)


def test_a_text_that_was_there_before_the_audio_ended_took_no_time() -> None:
    seconds, text, _ = read(".xxx...")

    assert (0.0, "text 1") == (seconds, text)


def test_speech_up_to_the_end_is_read_behind_it() -> None:
    seconds, text, stt = read(".xxx")

    assert seconds > 0
    assert "text 1" == text
    assert 30 * WINDOW <= stt.finals[0]


def test_each_pause_reads_all_that_was_said() -> None:
    _, text, stt = read(".xxx.xxx..")

    assert "text 2" == text
    assert stt.finals[1] > stt.finals[0] + 30 * WINDOW


def test_a_long_utterance_is_read_ahead_as_it_grows() -> None:
    _, _, stt = read("." + 10 * "x" + "..")

    assert 4 == len(stt.passes)
    assert sorted(stt.passes) == stt.passes
    assert stt.passes[-1] < 100 * WINDOW + HEARING_HZ


def test_a_pass_that_a_pause_comes_upon_is_given_up_for_the_final_text() -> None:
    seconds, text, stt = read(".xxx...", Slow())

    assert (0.0, "text 1") == (seconds, text)
    assert [1, 1] == [len(stt.finals), len(stt.passes)]


def test_silence_has_no_text() -> None:
    assert (0.0, "") == read("....")[:2]
    assert WINDOW_S * HEARING_HZ == WINDOW
