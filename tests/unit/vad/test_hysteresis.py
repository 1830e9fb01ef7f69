"""From probabilities to verdicts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voiced.config import settings
from voiced.vad.hysteresis import WINDOW, Hysteresis
from voiced.vad.model import SpeechBegan, SpeechEnded, Verdict

pytestmark = pytest.mark.unit

WINDOW_MS = 32


def verdicts(probabilities: list[float], *, close: bool = False, **pace: float) -> list[Verdict]:
    ear = Hysteresis(settings.Vad(**pace), lambda sample: sample / 16000)
    told = [ear.hear(n * WINDOW, p) for n, p in enumerate(probabilities)]
    if close:
        told.append(ear.close())
    return [verdict for verdict in told if verdict is not None]


def began(ms: int) -> SpeechBegan:
    return SpeechBegan(ms / 1000, ms * 16)


def ended(ms: int, voiced_ms: int) -> SpeechEnded:
    return SpeechEnded(ms / 1000, ms * 16, voiced_ms / 1000)


def test_speech_begins_and_ends_where_it_sounded_not_where_it_was_believed() -> None:
    told = verdicts([0.0] * 5 + [0.9] * 10 + [0.0] * 10)

    assert [began(5 * 32), ended(15 * 32, 10 * 32)] == told


def test_speech_that_restarts_in_the_same_push_is_not_lost() -> None:
    """Speech, a closing silence of 512 ms and the start of more speech: three verdicts, 544 ms."""
    told = verdicts([1.0] + [0.0] * 16 + [1.0], min_speech_ms=32, min_silence_ms=500)

    assert [began(0), ended(32, 32), began(544)] == told


def test_a_click_is_not_speech() -> None:
    assert [] == verdicts([0.0, 0.99, 0.0, 0.0, 0.0, 0.0], min_speech_ms=64)


def test_two_clicks_far_apart_are_not_speech() -> None:
    assert [] == verdicts([0.9, 0.0, 0.0, 0.0, 0.9, 0.0, 0.0, 0.0], min_speech_ms=64)


def test_a_stop_inside_a_word_does_not_end_speech() -> None:
    told = verdicts([0.9] * 4 + [0.1] * 2 + [0.9] * 4 + [0.0] * 3, min_silence_ms=96)

    assert [began(0), ended(10 * 32, 8 * 32)] == told


def test_a_stop_after_the_first_window_does_not_lose_the_first_sound() -> None:
    told = verdicts([0.9, 0.1, 0.9, 0.9], min_speech_ms=64, min_silence_ms=96)

    assert [began(0)] == told


def test_probabilities_between_the_thresholds_go_on_with_what_is() -> None:
    """0.4 is below the threshold of 0.5 and above the one for silence, 0.35."""
    assert [] == verdicts([0.4] * 20)

    assert [began(0)] == verdicts([0.9] * 3 + [0.4] * 20)


def test_speech_ends_at_its_last_voiced_window_even_if_that_was_faint() -> None:
    told = verdicts([0.9] * 3 + [0.4] * 2 + [0.0] * 5)

    assert [began(0), ended(5 * 32, 3 * 32)] == told


def test_a_threshold_can_be_raised() -> None:
    assert [] == verdicts([0.7] * 20, threshold=0.8)


def test_times_are_rounded_up_to_whole_windows() -> None:
    """65 ms of speech need three windows of 32 ms."""
    assert [] == verdicts([0.9] * 2, min_speech_ms=65)

    assert [began(0)] == verdicts([0.9] * 3, min_speech_ms=65)


def test_a_length_of_nothing_is_one_window() -> None:
    told = verdicts([0.9, 0.0], min_speech_ms=0, min_silence_ms=0)

    assert [began(0), ended(32, 32)] == told


def test_speech_that_the_recording_cuts_off_ends_with_it() -> None:
    told = verdicts([0.9] * 4 + [0.0], close=True)

    assert [began(0), ended(4 * 32, 4 * 32)] == told


def test_silence_has_no_end_when_the_recording_is_over() -> None:
    assert [] == verdicts([0.0] * 4 + [0.9], close=True)


def test_instants_are_those_of_the_call() -> None:
    ear = Hysteresis(settings.Vad(min_speech_ms=32), lambda sample: 1000.0 + sample / 16000)

    assert SpeechBegan(1002.048, 32768) == ear.hear(32768, 0.9)


@given(
    st.lists(st.floats(0, 1), max_size=200),
    st.integers(0, 300),
    st.integers(0, 300),
)
def test_verdicts_alternate_and_are_in_order(
    probabilities: list[float], min_speech_ms: int, min_silence_ms: int
) -> None:
    told = verdicts(
        probabilities, close=True, min_speech_ms=min_speech_ms, min_silence_ms=min_silence_ms
    )

    samples = [verdict.sample for verdict in told]
    kinds = [type(verdict) for verdict in told]
    assert sorted(samples) == samples
    assert [SpeechBegan, SpeechEnded] * (len(told) // 2) == kinds
    for start, end in zip(told[::2], told[1::2], strict=True):
        assert isinstance(end, SpeechEnded)
        assert 0 < end.voiced_s <= (end.sample - start.sample) / 16000 + 1e-9
