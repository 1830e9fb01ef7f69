"""The detector's thread, with a model that hears loudness."""

import threading
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest

from voiced.audio.pcm import Pcm
from voiced.config import settings
from voiced.flow.ring import Ring
from voiced.ops import metrics
from voiced.vad.model import Deafened, Hearsay, SpeechBegan, SpeechEnded
from voiced.vad.silero import Memory
from voiced.vad.watch import GIVEN_UP, Vad

pytestmark = pytest.mark.unit

PATIENCE_S = 5
PACE = settings.Vad(min_speech_ms=64, min_silence_ms=96)


class Loudness:
    """Speech is what is not silence."""

    def __init__(self) -> None:
        self.batches: list[int] = []

    def judge(self, windows: Sequence[Pcm], memories: Sequence[Memory]) -> list[float]:
        assert len(windows) == len(memories) == len({id(memory) for memory in memories})
        self.batches.append(len(windows))
        return [0.9 if np.any(window) else 0.0 for window in windows]


class Sound:
    """A caller's sound, all of it there at once."""

    def __init__(self, *windows: int, capacity: int = 64 * 512) -> None:
        self.ring = Ring(capacity)
        for loud in windows:
            self.ring.write(np.full(512, 1000 * loud, np.int16))

    def instant(self, sample: int) -> float:
        return 100.0 + sample / 16000


class Told:
    """Collects verdicts, and says when there are so many."""

    def __init__(self, wanted: int) -> None:
        self.verdicts: list[Hearsay] = []
        self._wanted = wanted
        self._all = threading.Event()

    def __call__(self, verdict: Hearsay) -> None:
        self.verdicts.append(verdict)
        if len(self.verdicts) == self._wanted:
            self._all.set()

    def wait(self) -> list[Hearsay]:
        assert self._all.wait(PATIENCE_S)
        return self.verdicts


@pytest.fixture
def model() -> Loudness:
    return Loudness()


@pytest.fixture
def vad(model: Loudness) -> Iterator[Vad]:
    vad = Vad(model, PACE)
    yield vad
    vad.close()


def test_verdicts_come_with_positions_and_instants(vad: Vad) -> None:
    told = Told(2)

    vad.attach("a", Sound(0, 1, 1, 1, 0, 0, 0), told)

    assert [SpeechBegan(100.032, 512), SpeechEnded(100.128, 2048, 0.096)] == told.wait()


def test_a_backlog_is_drained_at_once(vad: Vad, monkeypatch: pytest.MonkeyPatch) -> None:
    """Speech, silence and speech again wait at the first tick; there is no second one."""
    monkeypatch.setattr("voiced.vad.watch.TICK_S", 3600.0)
    told = Told(3)

    vad.attach("a", Sound(1, 1, 0, 0, 0, 0, 1, 1), told)

    samples = [verdict.sample for verdict in told.wait()]
    assert [0, 1024, 6 * 512] == samples


def test_calls_are_judged_together_and_told_apart(model: Loudness) -> None:
    first, second = Told(1), Told(1)
    vad = Vad(model, PACE)

    with vad._changed:  # both are there when the thread looks
        vad.attach("a", Sound(1, 1, 1), first)
        vad.attach("b", Sound(0, 1, 1), second)

    assert [0] == [verdict.sample for verdict in first.wait()]
    assert [512] == [verdict.sample for verdict in second.wait()]
    assert [2, 2, 2] == model.batches
    vad.close()


def test_a_part_of_a_window_waits_for_the_rest(vad: Vad) -> None:
    told = Told(1)
    sound = Sound()
    sound.ring.write(np.full(1023, 1000, np.int16))
    vad.attach("a", sound, told)

    sound.ring.write(np.full(1, 1000, np.int16))

    assert [0] == [verdict.sample for verdict in told.wait()]


def test_every_probability_can_be_seen(vad: Vad) -> None:
    told = Told(1)
    probed: list[tuple[int, float]] = []

    vad.attach("a", Sound(0, 1, 1), told, lambda start, p: probed.append((start, p)))

    told.wait()
    assert [(0, 0.0), (512, 0.9), (1024, 0.9)] == probed


def test_sound_that_came_too_fast_is_counted(vad: Vad) -> None:
    """A ring of four windows into which six were written: the first two are lost."""
    before = metrics.OVERRUNS.labels("hearing")._value.get()
    told = Told(1)

    vad.attach("a", Sound(0, 0, 1, 1, 1, 1, capacity=4 * 512), told)

    assert [1024] == [verdict.sample for verdict in told.wait()]
    assert before + 1024 == metrics.OVERRUNS.labels("hearing")._value.get()


def test_a_detached_call_is_left_alone(vad: Vad) -> None:
    """Once `detach` has returned, nothing is taken from its ring, while others are heard on."""
    gone, told = Told(1), Told(1)
    sound = Sound(1, 1)
    vad.attach("a", sound, gone)
    gone.wait()

    vad.detach("a")
    sound.ring.write(np.zeros(4 * 512, np.int16))
    vad.attach("b", Sound(1, 1), told)

    told.wait()
    assert 1 == len(gone.verdicts)
    assert 2 * 512 == sound.ring.taken


def test_detaching_an_unknown_call_does_nothing(vad: Vad) -> None:
    vad.detach("never seen")


def test_a_call_that_fails_leaves_the_others_alone(vad: Vad) -> None:
    def break_down(_verdict: Hearsay) -> None:
        raise RuntimeError

    told = Told(2)
    with vad._changed:
        vad.attach("a", Sound(1, 1, 0, 0, 0), break_down)
        vad.attach("b", Sound(1, 1, 0, 0, 0), told)

    told.wait()


def test_a_call_that_the_detector_fails_is_told(vad: Vad) -> None:
    """It would wait for a caller whom nobody hears."""

    class Broken(Sound):
        def instant(self, sample: int) -> float:
            raise RuntimeError

    told = Told(1)
    vad.attach("a", Broken(1, 1, 1), told)

    assert [Deafened] == [type(one) for one in told.wait()]
    assert vad.idle


def test_a_model_that_does_not_mend_itself_is_told_to_every_call() -> None:
    class Dead(Loudness):
        def judge(self, windows: Sequence[Pcm], memories: Sequence[Memory]) -> list[float]:
            raise RuntimeError

    first, second = Told(1), Told(1)
    vad = Vad(Dead(), PACE)
    loud = [1] * (GIVEN_UP + 1)
    with vad._changed:
        vad.attach("a", Sound(*loud), first)
        vad.attach("b", Sound(*loud), second)

    assert [[Deafened]] * 2 == [[type(one) for one in told.wait()] for told in (first, second)]
    vad.close()


def test_a_model_that_fails_once_is_asked_again() -> None:
    class Stumbling(Loudness):
        def judge(self, windows: Sequence[Pcm], memories: Sequence[Memory]) -> list[float]:
            if not self.batches:
                self.batches.append(0)
                raise RuntimeError
            return super().judge(windows, memories)

    told = Told(1)
    vad = Vad(Stumbling(), PACE)

    vad.attach("a", Sound(1, 1, 1), told)

    assert [512] == [verdict.sample for verdict in told.wait()]
    vad.close()


def test_without_calls_the_thread_does_not_tick(monkeypatch: pytest.MonkeyPatch) -> None:
    """It waits without a deadline until a call is attached."""
    waits: list[float | None] = []
    idle = threading.Event()
    wait: Callable[..., bool] = threading.Condition.wait

    def watched(condition: threading.Condition, timeout: float | None = None) -> bool:
        if threading.current_thread().name == "voiced-vad":
            waits.append(timeout)
            idle.set()
        return wait(condition, timeout)

    monkeypatch.setattr("voiced.vad.watch.threading.Condition.wait", watched)
    vad = Vad(Loudness(), PACE)
    assert idle.wait(PATIENCE_S)

    vad.close()

    assert [None] == waits


def test_closing_lets_calls_go(model: Loudness) -> None:
    vad = Vad(model, PACE)
    vad.attach("a", Sound(1), Told(1))

    vad.close()

    assert vad.idle
