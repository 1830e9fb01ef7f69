"""What a person sees of a pull."""

import io

import pytest

from voiced import clock
from voiced.catalog.progress import Progress

pytestmark = pytest.mark.unit


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Time:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.at = 100.0

    def __call__(self) -> float:
        return self.at


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    time = Time()
    monkeypatch.setattr(clock, "now", time)
    return time


def test_it_says_how_far_and_how_long_still(time: Time) -> None:
    """30 of 120 MB took 3 s, so the other 90 take 9."""
    output = io.StringIO()
    progress = Progress(output)

    progress.begin("brain", 120_000_000)
    first = progress.advance_of(20_000_000)
    first(1.0)
    second = progress.advance_of(100_000_000)
    time.at += 3.0
    second(0.1)

    assert "brain: 30 of 120 MB, about 9 s left\n" == output.getvalue()


def test_a_log_file_is_not_flooded(time: Time) -> None:
    output = io.StringIO()
    progress = Progress(output)

    progress.begin("brain", 100_000_000)
    advance = progress.advance_of(100_000_000)
    for step in range(100):
        time.at += 0.05
        advance(step / 100)

    assert 2 == output.getvalue().count("\n")


def test_a_terminal_has_one_line_that_is_written_over(time: Time) -> None:
    output = Terminal()
    progress = Progress(output)

    progress.begin("brain", 10_000_000)
    time.at += 1.0
    progress.advance_of(10_000_000)(0.5)
    progress.end()

    assert "\r\x1b[Kbrain: 5 of 10 MB, about 1 s left\r\x1b[Kbrain: 10 MB in 1 s\n" == (
        output.getvalue()
    )


def test_nothing_is_said_when_there_is_nothing_to_fetch(time: Time) -> None:
    output = io.StringIO()
    progress = Progress(output)

    progress.begin("brain", 0)
    progress.end()

    assert "" == output.getvalue()
