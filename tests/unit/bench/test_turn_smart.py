"""Smart Turn as pipecat runs it, with a model that says what it is told to."""

import numpy as np
import pytest

from voiced.audio.pcm import Pcm
from voiced.bench import turn_smart
from voiced.vad.hysteresis import WINDOW, WINDOW_S

pytestmark = pytest.mark.unit

STOP_S = 6 * WINDOW_S


class Fake:
    """Says each probability once, and notes how much it was given to hear."""

    def __init__(self, *answers: float) -> None:
        self.heard: list[int] = []
        self._answers = list(answers)

    def likely_over(self, pcm: Pcm) -> float:
        self.heard.append(len(pcm))
        return self._answers.pop(0)


def ends(pattern: str, *answers: float) -> tuple[list[float], Fake]:
    """`pattern` has a run of ten windows for each sign: x is speech, any other silence."""
    speech = [0.9 if sign == "x" else 0.1 for sign in pattern for _ in range(10)]
    model = Fake(*answers)
    found = turn_smart.ends(np.zeros(len(speech) * WINDOW, np.int16), speech, model)  # type: ignore[arg-type]
    return found, model


def test_a_complete_turn_ends_after_200_ms_of_silence() -> None:
    found, _ = ends(".xx..", 0.9)

    assert [30 * WINDOW_S + STOP_S] == pytest.approx(found, abs=0.02)


def test_an_incomplete_one_ends_after_three_seconds_more() -> None:
    found, _ = ends(".xx" + 12 * ".", 0.4)

    assert [30 * WINDOW_S + STOP_S + 3.0] == pytest.approx(found, abs=0.04)


def test_speech_within_the_three_seconds_goes_on_with_the_turn() -> None:
    found, model = ends(".xx..xx..", 0.4, 0.9)

    assert [70 * WINDOW_S + STOP_S] == pytest.approx(found, abs=0.02)
    assert model.heard[1] > model.heard[0] + 30 * WINDOW


def test_after_an_end_the_model_hears_the_next_turn_alone() -> None:
    found, model = ends("...xx...xx..", 0.9, 0.9)

    assert 2 == len(found)
    assert model.heard[0] == model.heard[1]


def test_a_click_is_no_speech() -> None:
    speech = [0.1] * 20 + [0.9] * 5 + [0.1] * 20

    assert [] == turn_smart.ends(np.zeros(45 * WINDOW, np.int16), speech, Fake())  # type: ignore[arg-type]
