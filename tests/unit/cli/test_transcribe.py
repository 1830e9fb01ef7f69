"""Stretches of a recording become turns."""

import asyncio
from collections.abc import Iterable

import numpy as np
import pytest

from voiced.cli import transcribe
from voiced.config.settings import TurnPace
from voiced.stt.gate import Reason, Rejection
from voiced.vad.recording import Stretch
from voiced.words import Words

pytestmark = pytest.mark.unit

HZ = 16_000
PACE = TurnPace(endpoint_delay_ms=300, endpoint_ceiling_ms=1200)


class Told:
    """Reads, of so many stretches as one turn, what it was told to."""

    def __init__(self, *texts: str) -> None:
        self._texts = iter(texts)

    async def read(self, spoken: Iterable[Stretch]) -> Words | Rejection:
        assert list(spoken)
        text = next(self._texts)
        return Words(text) if text else Rejection(Reason.EMPTY)


def stretch(start_s: float, stop_s: float) -> Stretch:
    return Stretch(int(start_s * HZ), int(stop_s * HZ), stop_s - start_s)


def turns(spoken: list[Stretch], *texts: str) -> list[tuple[str, int]]:
    """(text, endpoint delay in ms) of each turn; no text when it was rejected."""

    async def listen() -> list[transcribe.Turn]:
        ears: transcribe.Ears = Told(*texts)  # type: ignore[assignment]
        return [turn async for turn in transcribe.turns(spoken, ears, PACE)]

    return [
        (turn.verdict.reveal() if isinstance(turn.verdict, Words) else "", turn.wait * 1000 // HZ)
        for turn in asyncio.run(listen())
    ]


def test_a_whole_sentence_is_a_turn_after_a_short_pause() -> None:
    spoken = [stretch(0, 1), stretch(1.5, 2)]

    assert [("Hello.", 300), ("Goodbye.", 300)] == turns(spoken, "Hello.", "Goodbye.")


def test_words_that_promise_more_are_waited_for() -> None:
    spoken = [stretch(0, 1), stretch(2, 3)]

    found = turns(spoken, "My name is", "My name is Jane Doe.")

    assert [("My name is Jane Doe.", 300)] == found


def test_words_that_do_not_end_are_waited_for_up_to_the_ceiling() -> None:
    spoken = [stretch(0, 1), stretch(2.3, 3)]

    assert [("I take", 1200), ("Nothing.", 300)] == turns(spoken, "I take", "Nothing.")


def test_a_noise_is_no_turn() -> None:
    assert [("", 1200)] == turns([stretch(0, 1)], "")


def test_silence_has_no_turns() -> None:
    assert [] == turns([])


def test_stretches_are_cut_with_lead_in_and_tail() -> None:
    """Where these meet, the sound between is kept; what lies farther apart is left out."""
    pcm = np.arange(4 * HZ, dtype=np.int32).astype(np.int16)

    part = transcribe.cut(pcm, [stretch(1, 1.2), stretch(1.5, 2), stretch(3, 3.1)], HZ // 10)

    kept = np.concatenate([pcm[int(0.9 * HZ) : int(2.2 * HZ)], pcm[int(2.9 * HZ) : int(3.3 * HZ)]])
    assert kept.tolist() == part.tolist()


def test_lead_in_and_tail_that_the_recording_does_not_have_are_silence() -> None:
    pcm = np.ones(HZ, np.int16)

    part = transcribe.cut(pcm, [stretch(0, 1)], HZ // 10)

    assert [0] * (HZ // 10) + [1] * HZ + [0] * (HZ // 5) == part.tolist()
