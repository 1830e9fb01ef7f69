"""Which windows are taken: by recordings whose readings are known."""

import pytest

from voiced.stt.calibration import TRIED_S, Reading, Recording, judged, pace_of, windows_of
from voiced.stt.windows import FULL_S

pytestmark = pytest.mark.unit


def recording(seconds: float, wrong: dict[int, int] | None = None, astray: int = 0) -> Recording:
    """Of 100 letters; nothing wrong where it says nothing."""
    return Recording(
        seconds,
        letters=100,
        tokens=20,
        by_window={
            window: Reading((wrong or {}).get(window, 0), window == astray)
            for window in (*TRIED_S, FULL_S)
            if window >= seconds + 1
        },
    )


def taken(*recordings: Recording) -> list[int]:
    return windows_of(judged(recordings))


def test_windows_that_read_as_well_as_the_full_one_are_taken_as_far_as_was_recorded() -> None:
    assert [8, 9, 10, FULL_S] == taken(*[recording(4.0)] * 3, recording(8.5))


def test_a_window_that_reads_worse_is_left_out_and_its_recordings_go_to_the_next() -> None:
    worse = [recording(4.0, {8: 5})] * 3

    assert [9, 10, FULL_S] == taken(*worse, recording(8.5))


def test_a_recording_is_judged_in_the_window_that_a_call_would_choose() -> None:
    assert [8, 9, 10, FULL_S] == taken(*[recording(4.0, {10: 50})] * 3, recording(8.5))


def test_what_is_read_otherwise_in_one_recording_may_be_made_up_for_in_another() -> None:
    assert [8, FULL_S] == taken(
        *[recording(4.0)] * 3, recording(4.0, {8: 9}), recording(4.0, {FULL_S: 9})
    )


def test_two_recordings_tell_nothing() -> None:
    assert [] == taken(recording(4.0), recording(4.0))


def test_a_window_in_which_many_lose_the_thread_costs_two_readings_and_is_left_out() -> None:
    assert [9, 10, FULL_S] == taken(*[recording(4.0, astray=8)] * 3, recording(8.5))


def test_what_no_window_holds_is_read_in_the_full_one() -> None:
    assert [8, 9, 10, 12, 14, 16, 18, 20, 24, FULL_S] == taken(
        *[recording(4.0)] * 3, recording(27.0)
    )


def test_the_most_tokens_leave_room_for_one_who_speaks_faster() -> None:
    assert 8 == pace_of([recording(4.0), recording(10.0)])
    assert pace_of([recording(4.0, astray=FULL_S)]) is None
