"""What the caller hears, and what the cursor says of it: the same, whatever happens before it."""

import sys
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from voiced.audio.pcm import SPEAKING_FRAME, Pcm
from voiced.flow import playout
from voiced.flow.cancel import Live, Take
from voiced.flow.playout import CAPACITY, Cursor, Played, Playout
from voiced.ops import metrics

pytestmark = pytest.mark.unit

FIRST, SECOND = Take(1, 0), Take(2, 0)
LOUD = 10_000


class Stage:
    """A playout, the hand that steers it, and what was told of it."""

    def __init__(self) -> None:
        self.live = Live()
        self.told: list[Played] = []
        self.playout = Playout(self.live, self.told.append)

    def release(self, take: Take) -> None:
        self.live.take = self.playout.released = take

    def say(self, take: Take, *pieces: Pcm, complete: bool = True) -> None:
        """All of a take, live and released at once."""
        self.release(take)
        for pcm in pieces:
            self.playout.write(take, pcm)
        if complete:
            self.playout.complete = take

    def ticks(self, count: int) -> Pcm:
        return np.concatenate([self.playout.tick(0.02 * number) for number in range(count)])


@pytest.fixture
def stage() -> Iterator[Stage]:
    stage = Stage()
    yield stage
    stage.playout.close()


def sound(samples: int, value: int = LOUD) -> Pcm:
    return np.full(samples, value, np.int16)


def counted(samples: int, start: int = 0) -> Pcm:
    return ((np.arange(start, start + samples) % 30_000) + 1).astype(np.int16)


def metric(name: str, **labels: str) -> float:
    return metrics.REGISTRY.get_sample_value(name, labels) or 0.0


def underruns() -> float:
    return metric("voiced_playout_underruns_total")


def overruns() -> float:
    return metric("voiced_ring_overrun_samples_total", ring="playout")


def test_sound_leaves_in_order_and_in_frames(stage: Stage) -> None:
    stage.say(FIRST, counted(700), counted(300, 700))

    assert np.array_equal(
        np.concatenate([counted(1000), sound(440, 0)]),
        stage.ticks(3),
    )


def test_the_cursor_is_what_the_caller_heard_to_the_sample(stage: Stage) -> None:
    stage.say(FIRST, counted(1000))
    stage.ticks(2)
    midway = stage.playout.cursor
    stage.ticks(5)

    assert (Cursor(FIRST, 960), Cursor(FIRST, 1000)) == (midway, stage.playout.cursor)


def test_a_start_and_an_end_are_told_once_each(stage: Stage) -> None:
    stage.say(FIRST, counted(1000))
    stage.ticks(10)

    assert [
        Played(FIRST, 0.0, SPEAKING_FRAME, finished=False),
        Played(FIRST, 0.04, 1000, finished=True),
    ] == stage.told


def test_nothing_is_finished_before_all_of_it_was_written(stage: Stage) -> None:
    stage.say(FIRST, counted(480), complete=False)
    stage.ticks(5)
    before = [played.finished for played in stage.told]
    stage.playout.complete = FIRST
    stage.ticks(1)

    assert ([False], True) == (before, stage.told[-1].finished)


def test_a_reply_with_no_sound_finishes(stage: Stage) -> None:
    stage.say(FIRST)
    stage.ticks(3)

    assert [Played(FIRST, 0.0, 0, finished=True)] == stage.told


def test_a_take_is_held_until_it_is_released(stage: Stage) -> None:
    """An answer that was made on suspicion waits whole, and neither starts nor ends."""
    stage.live.take = stage.playout.complete = FIRST
    stage.playout.write(FIRST, counted(480))
    held = stage.ticks(5)
    told, cursor = list(stage.told), stage.playout.cursor
    stage.playout.released = FIRST
    released = stage.ticks(1)

    assert (False, [], 0) == (held.any(), told, cursor.samples)
    assert np.array_equal(counted(480), released)


def test_sound_of_a_stale_take_is_never_written(stage: Stage) -> None:
    stage.release(SECOND)
    stage.playout.write(FIRST, sound(480))

    assert (0, False) == (stage.playout.waiting, stage.ticks(3).any())


def test_a_dead_take_is_skipped_however_much_of_it_waits(stage: Stage) -> None:
    stage.say(FIRST, sound(100_000))
    stage.ticks(1)
    stage.say(SECOND, counted(480))
    stage.ticks(1)

    assert (Cursor(SECOND, 480), 0) == (stage.playout.cursor, stage.playout.waiting)


def test_what_is_written_while_its_take_dies_does_not_wait_for_ever(stage: Stage) -> None:
    """The tick drops the segment in the middle of the write that makes it longer."""
    stage.say(FIRST, sound(960))
    honest = stage.playout._memory

    class Meddled:
        def __setitem__(self, place: slice, pcm: Pcm) -> None:
            honest.samples[place] = pcm
            stage.playout._memory = honest
            stage.live.take = SECOND
            stage.ticks(1)

    stage.playout._memory = SimpleNamespace(samples=Meddled())  # type: ignore[assignment]
    stage.playout.write(FIRST, sound(480))
    stage.ticks(1)

    assert 0 == stage.playout.waiting


def test_a_cut_dies_away_within_ten_milliseconds(stage: Stage) -> None:
    """Of the sound that would have come next; the cursor does not count it."""
    stage.say(FIRST, sound(4800))
    stage.ticks(2)
    stage.live.take = SECOND
    cut = stage.ticks(2)

    assert (LOUD, 0, False) == (cut[0], cut[239], cut[240:].any())
    assert np.all(np.diff(cut[:240]) <= 0)
    assert Cursor(FIRST, 960) == stage.playout.cursor


def test_a_cut_dies_away_under_what_follows_at_once(stage: Stage) -> None:
    stage.say(FIRST, sound(4800))
    stage.ticks(1)
    stage.say(SECOND, sound(480, 5))
    frame = stage.ticks(1)

    assert (LOUD + 5, 5, 5) == (frame[0], frame[239], frame[-1])
    assert Cursor(SECOND, 480) == stage.playout.cursor


def test_two_loud_sounds_at_a_cut_are_clipped_and_not_wrapped(stage: Stage) -> None:
    stage.say(FIRST, sound(4800, -32768))
    stage.ticks(1)
    stage.say(SECOND, sound(480, -32768))

    assert -32768 == stage.ticks(1).max()


def test_a_take_that_did_not_sound_is_cut_without_a_trace(stage: Stage) -> None:
    stage.live.take = FIRST
    stage.playout.write(FIRST, sound(4800))
    stage.ticks(2)
    stage.live.take = SECOND

    assert not stage.ticks(2).any()


def test_speech_that_is_held_again_fades_and_goes_on_where_it_was(stage: Stage) -> None:
    stage.say(FIRST, counted(1440))
    stage.ticks(1)
    stage.playout.released = SECOND
    held = stage.ticks(2)
    stage.playout.released = FIRST
    resumed = stage.ticks(2)

    assert (True, False) == (bool(held[:200].any()), bool(held[240:].any()))
    assert np.array_equal(counted(960, 480), resumed)


def test_silence_inside_a_reply_is_counted(stage: Stage) -> None:
    """Frames that the voice was late by; not those after its end, nor those before its start."""
    before = underruns()
    stage.release(FIRST)
    stage.ticks(3)
    stage.playout.write(FIRST, sound(480))
    stage.ticks(3)
    stage.playout.write(FIRST, sound(480))
    stage.ticks(5)
    stage.playout.complete = FIRST
    stage.ticks(1)

    assert 2 == underruns() - before


def test_silence_of_a_reply_that_was_cut_is_not_counted_against_the_next(stage: Stage) -> None:
    before = underruns()
    stage.say(FIRST, sound(480), complete=False)
    stage.ticks(4)
    stage.say(SECOND, sound(480))
    stage.ticks(2)

    assert 0 == underruns() - before


def test_sound_goes_round_the_seam_whole(stage: Stage) -> None:
    stage.say(FIRST, sound(CAPACITY - 700), complete=False)
    while stage.playout.waiting:
        stage.playout.tick(0.0)
    stage.playout.write(FIRST, counted(4800))

    assert np.array_equal(counted(4800), stage.ticks(10))


def test_what_does_not_fit_is_dropped_and_counted(stage: Stage) -> None:
    before = overruns()
    stage.say(FIRST, sound(CAPACITY - 100), counted(300), counted(5))
    stage.ticks((CAPACITY - 100) // SPEAKING_FRAME)
    last = stage.ticks(1)

    assert 205 == overruns() - before
    assert np.array_equal(counted(100), last[380:])


def test_a_voice_that_is_late_for_the_end_of_the_call_is_harmless() -> None:
    """The memory is gone; the sound finds its take stale."""
    stage = Stage()
    stage.say(FIRST, sound(4800))
    stage.ticks(1)
    stage.playout.close()
    stage.playout.write(FIRST, sound(480))
    stage.playout.close()

    assert FIRST != stage.live.take


def test_a_tick_that_is_late_for_the_end_of_the_call_is_silent() -> None:
    stage = Stage()
    stage.say(FIRST, sound(4800))
    stage.ticks(1)
    stage.playout.close()

    assert (False, Cursor(FIRST, 480)) == (stage.ticks(3).any(), stage.playout.cursor)


def test_a_call_may_end_while_a_voice_writes() -> None:
    failures: list[BaseException] = []

    def write(stage: Stage, begun: threading.Event) -> None:
        try:
            for _ in range(200):
                stage.playout.write(FIRST, sound(600))
                begun.set()
        except BaseException as error:  # noqa: BLE001 - shown by the assertion below
            failures.append(error)

    for _ in range(5):
        stage, begun = Stage(), threading.Event()
        stage.release(FIRST)
        voice = threading.Thread(target=write, args=(stage, begun))
        voice.start()
        begun.wait()
        stage.playout.close()
        voice.join()

    assert [] == failures


class Interrupted(Playout):
    """One whose tick is interrupted once it has skipped what is stale, before it takes a frame."""

    def __init__(self, live: Live) -> None:
        self.interrupt: Callable[[], None] | None = None
        super().__init__(live, lambda _played: None)

    @property
    def person(self) -> None:
        interrupt, self.interrupt = self.interrupt, None
        if interrupt is not None:
            interrupt()

    @person.setter
    def person(self, _person: None) -> None:
        pass


def test_a_voice_that_writes_as_its_take_dies_is_not_heard() -> None:
    live = Live()
    playout = Interrupted(live)
    live.take = playout.released = SECOND

    def late() -> None:
        live.take = FIRST  # what the voice had seen
        playout.write(FIRST, sound(2 * SPEAKING_FRAME))
        live.take = SECOND

    playout.interrupt = late
    heard = np.concatenate([playout.tick(0.0), playout.tick(0.02)])
    playout.close()

    assert not heard.any()


def test_a_tick_beside_a_voice_and_cuts_hears_only_the_live_take() -> None:
    """Three threads: each take's sound is its own constant; the tick must never meet another,
    and never fail over a queue that changes under it."""
    stage, over = Stage(), threading.Event()
    failures: list[BaseException] = []

    def speak() -> None:
        try:
            while not over.is_set():
                take = stage.live.take
                stage.playout.write(take, sound(601, take.turn % 1000 + 1))
        except BaseException as error:  # noqa: BLE001 - shown by the assertion below
            failures.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    voice = threading.Thread(target=speak)
    voice.start()
    wrong = 0
    try:
        for turn in range(1, 3000):
            stage.release(Take(turn, 0))
            stage.playout.tick(0.0)
            stage.playout.tick(0.0)
            heard = set(stage.playout.tick(0.0).tolist()) - {0}
            wrong += not heard <= {turn % 1000 + 1}
    finally:
        over.set()
        voice.join()
        sys.setswitchinterval(interval)
        stage.playout.close()

    assert ([], 0) == (failures, wrong)


class AnyOrder(RuleBasedStateMachine):
    """Whatever the order of writes, steering and ticks: what leaves is the live released take's,
    in order, none twice, and the cursor is its count. The ring is small, so that it wraps and
    overflows."""

    def __init__(self) -> None:
        super().__init__()
        self.small = patch.object(playout, "CAPACITY", 5000)
        self.small.start()
        self.stage = Stage()
        self.take = self.stage.live.take = Take(1, 0)
        self.written: dict[Take, int] = {}
        self.heard = 0
        self.cut_before_tick = False

    @rule(samples=st.integers(0, 1200), stale=st.booleans())
    def write(self, samples: int, stale: bool) -> None:
        take = Take(self.take.turn - 1, 0) if stale else self.take
        live = take == self.stage.live.take
        room = 5000 - self.stage.playout.waiting
        self.stage.playout.write(take, counted(samples, self.written.get(take, 0)))
        if live:
            self.written[take] = self.written.get(take, 0) + min(samples, room)

    @rule()
    def release(self) -> None:
        self.stage.playout.released = self.take

    @rule()
    def hold(self) -> None:
        self.stage.playout.released = Take(-1, 0)

    @rule()
    def complete(self) -> None:
        self.stage.playout.complete = self.take

    @rule()
    def cut(self) -> None:
        self.take = self.stage.live.take = Take(self.take.turn + 1, 0)
        self.heard = 0
        self.cut_before_tick = True

    @rule()
    def tick(self) -> None:
        faded = 240 if self.cut_before_tick else 0  # a fade may lie over the head of the frame
        self.cut_before_tick = False
        frame = self.stage.playout.tick(0.0)
        if self.stage.playout.released != self.stage.live.take:
            assert not frame[240:].any()
            return
        left = self.written.get(self.stage.live.take, 0) - self.heard
        count = min(max(left, 0), SPEAKING_FRAME)
        expected = np.concatenate(
            [counted(count, self.heard), np.zeros(SPEAKING_FRAME - count, np.int16)]
        )
        assert np.array_equal(expected[faded:], frame[faded:])
        self.heard += count

    @invariant()
    def the_cursor_counts_what_left(self) -> None:
        cursor = self.stage.playout.cursor
        assert self.heard == (cursor.samples if cursor.take == self.stage.live.take else 0)

    @invariant()
    def each_take_starts_once_and_ends_once(self) -> None:
        marks = [(played.take, played.finished) for played in self.stage.told]
        assert len(marks) == len(set(marks))

    def teardown(self) -> None:
        self.small.stop()
        self.stage.playout.close()


AnyOrder.TestCase.settings = settings(max_examples=20, stateful_step_count=40, deadline=None)
TestAnyOrder = AnyOrder.TestCase
