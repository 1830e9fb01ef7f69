"""Repetition in sequences."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voiced.stt import loops
from voiced.stt.loops import Run

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("items", "run"),
    [
        ("", None),
        ("abc", None),
        ("aaa", None),  # three times happens in ordinary speech
        ("aaaa", Run(0, 1, 4)),
        ("xaaaay", Run(1, 1, 4)),
        ("abababab", Run(0, 2, 4)),
        ("xyababababab", Run(2, 2, 5)),
        ("abcabcabcab", None),  # three and a piece
        ("abcabcabcabcab", Run(0, 3, 4)),
        ("aaaabcdbcdbcdbcd", Run(4, 3, 4)),  # the one that covers most
    ],
)
def test_the_longest_run_is_found(items: str, run: Run | None) -> None:
    assert run == loops.longest(items)


def test_a_long_phrase_is_found_too() -> None:
    assert Run(1, 16, 4) == loops.longest([99, *range(16), *range(16), *range(16), *range(16)])


@given(st.text("ab", max_size=12), st.text("abc", min_size=1, max_size=6), st.integers(4, 9))
def test_what_is_repeated_is_found_wherever_it_stands(head: str, phrase: str, times: int) -> None:
    run = loops.longest(head + phrase * times)

    assert run is not None
    assert run.end - run.start >= len(phrase) * times


@given(st.text("abc", max_size=40))
def test_a_run_is_what_it_says(items: str) -> None:
    run = loops.longest(items)

    if run is not None:
        phrase = items[run.start : run.start + run.length]
        assert phrase * run.times == items[run.start : run.end]
