"""Sound that comes in pieces: laid down no faster than time, with silence where nothing came."""

import asyncio
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from voiced.audio.pcm import HEARING_HZ, SPEAKING_HZ, Pcm
from voiced.realtime.intake import Intake

pytestmark = pytest.mark.unit


class Time:
    """Stands where it is put."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def intake(time: Time) -> Iterator[Intake]:
    async def made() -> Intake:
        return Intake(time)

    one = asyncio.run(made())
    yield one
    one.close()


def piece(seconds: float) -> Pcm:
    return np.full(int(seconds * SPEAKING_HZ), 1000, np.int16)


def seconds(intake: Intake) -> float:
    return intake.ring.written / HEARING_HZ


def pass_time(intake: Intake, time: Time, by: float, do: Callable[[], None] = lambda: None) -> None:
    """A pulse every 20 ms."""
    for _ in range(round(by / 0.02)):
        time.now += 0.02
        do()
        intake.fill(time.now)


def test_sound_in_real_time_is_laid_down_as_it_comes(intake: Intake, time: Time) -> None:
    pass_time(intake, time, 3.0, lambda: intake.append(piece(0.02)))

    assert 3.0 == pytest.approx(seconds(intake), abs=0.05)
    assert time.now == pytest.approx(intake.instant(intake.ring.written), abs=0.05)


def test_a_recording_that_comes_at_once_is_laid_down_as_time_passes(
    intake: Intake, time: Time
) -> None:
    for _ in range(100):
        intake.append(piece(0.1))

    assert seconds(intake) < 0.7
    pass_time(intake, time, 3.0)
    assert 3.0 < seconds(intake) < 4.0
    pass_time(intake, time, 8.0)
    loud = intake.ring.copy(0, intake.ring.written)
    assert 10.0 * HEARING_HZ == pytest.approx(
        np.count_nonzero(loud), abs=640
    )  # the filter keeps some 20 ms


def test_time_passes_for_the_detector_though_nothing_comes(intake: Intake, time: Time) -> None:
    pass_time(intake, time, 2.0)

    assert 2.0 == pytest.approx(seconds(intake), abs=0.2)


def test_silence_goes_on_as_time_does_once_it_has_begun(intake: Intake, time: Time) -> None:
    """The end of a turn is not noticed later than over a line that sends silence."""
    pass_time(intake, time, 1.0)
    before = intake.ring.written
    pass_time(intake, time, 0.1)

    assert 0.1 == pytest.approx((intake.ring.written - before) / HEARING_HZ, abs=0.021)


def test_when_it_is_we_who_were_late_no_hole_is_torn(intake: Intake, time: Time) -> None:
    """Pieces came meanwhile, and have not been read."""
    pass_time(intake, time, 1.0, lambda: intake.append(piece(0.02)))
    before = intake.ring.written
    time.now += 0.4
    intake.fill(time.now)
    intake.append(piece(0.4))

    assert 0 == np.count_nonzero(intake.ring.copy(before, intake.ring.written) == 0)


def test_a_late_piece_is_not_torn(intake: Intake, time: Time) -> None:
    """Programs send pieces of 100 ms: a little late is not silence."""
    for _ in range(20):
        pass_time(intake, time, 0.1)
        intake.append(piece(0.1))

    heard = intake.ring.copy(4_000, intake.ring.written)
    assert 0 == np.count_nonzero(heard == 0)


def test_where_nobody_listens_a_recording_is_laid_down_at_once(intake: Intake, time: Time) -> None:
    intake.at_once = True
    intake.append(piece(4.0))
    intake.flush()

    assert 4.0 == pytest.approx(seconds(intake), abs=0.01)


def test_what_is_committed_holds_no_silence_that_nobody_sent(intake: Intake, time: Time) -> None:
    intake.at_once = True
    intake.append(piece(1.0))
    pass_time(intake, time, 5.0)
    intake.flush()

    assert 1.0 == pytest.approx(seconds(intake), abs=0.01)


def test_the_program_waits_while_half_a_minute_waits(time: Time) -> None:
    async def story() -> tuple[bool, bool]:
        intake = Intake(time)
        try:
            for _ in range(9):
                intake.append(piece(4.0))
            waiting = asyncio.ensure_future(intake.room())
            await asyncio.sleep(0)
            before = waiting.done()
            pass_time(intake, time, 9.0)
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            return before, waiting.done()
        finally:
            intake.close()

    assert (False, True) == asyncio.run(story())
