"""The `voiced-vad` thread: it takes what each call heard, and tells where speech is.

    tick  tick  tick  tick  tick          a round of windows, one inference for all calls whose
     | 8 ms| 8 ms| 8 ms| 8 ms|            window of 32 ms is full by then; a backlog is drained at
     +-----+-----+-----+-----+--->        once, in rounds; a late tick delays no other

Windows of different calls are full at different times, and none waits long to be judged: what
follows from it, silence of the agent above all, waits as long. With no call attached the thread
sleeps until one is. It does not know what the verdicts are for.
"""

import threading
from collections.abc import Callable, Sequence
from typing import Protocol

from voiced import clock
from voiced.audio.pcm import HEARING_HZ, Pcm
from voiced.config import settings
from voiced.ops import log, metrics
from voiced.vad.hysteresis import WINDOW
from voiced.vad.model import Deafened, Hearsay, Source
from voiced.vad.segmenter import Segmenter
from voiced.vad.silero import Memory

TICK_S = WINDOW / HEARING_HZ / 4

GIVEN_UP = 16
"""Failures of the model in a row, of one call's windows half a second: it will not mend itself."""

Told = Callable[[Hearsay], None]
"""Takes a verdict on the detector's thread; must not block: a lane's `put`."""

Probed = Callable[[int, float], None]
"""Takes the position of a window's first sample, and the probability that the window is speech."""


class Model(Protocol):
    """What judges windows: one of each call, with that call's memory."""

    def judge(self, windows: Sequence[Pcm], memories: Sequence[Memory]) -> list[float]: ...


class Vad:
    """Resident; owns its thread. `attach`, `detach` and `close` may be called on any other one."""

    def __init__(self, model: Model, pace: settings.Vad) -> None:
        self.progressed_at = clock.now()
        """When the thread last ticked or went to sleep; the watchdog reads it."""
        self._model = model
        self._pace = pace
        self._ears: dict[str, _Ear] = {}
        self._failures = 0  # in a row, of the model
        self._closed = False
        self._changed = threading.Condition()  # held by a tick from its beginning to its end
        self._thread = threading.Thread(target=self._watch, name="voiced-vad", daemon=True)
        self._thread.start()

    @property
    def idle(self) -> bool:
        """No call is attached, so the thread rests and makes no progress."""
        return not self._ears

    @property
    def busy(self) -> bool:
        return not self.idle

    @property
    def fault(self) -> None:
        """It runs on the CPU, and has no card to lose."""

    def attach(self, call: str, source: Source, told: Told, probed: Probed | None = None) -> None:
        """Begins to listen to a call, from its first sample that nobody has taken."""
        ear = _Ear(source, Segmenter(self._pace, source.instant), told, probed)
        with self._changed:
            self._ears[call] = ear
            self._changed.notify()

    def detach(self, call: str) -> None:
        """Stops listening. When it returns the thread no longer touches the call's ring.

        It may wait for the tick that runs: a few milliseconds.
        """
        with self._changed:
            self._ears.pop(call, None)

    def stirs(self, call: str) -> bool:
        """The caller may just have begun to speak: told, or not, within three windows."""
        ear = self._ears.get(call)
        return ear is not None and ear.stirring

    def close(self) -> None:
        """Ends the thread; calls that are still attached are let go."""
        with self._changed:
            self._closed = True
            self._ears.clear()
            self._changed.notify()
        self._thread.join()

    def _watch(self) -> None:
        tick_at = clock.now()
        with self._changed:
            while not self._closed:
                self.progressed_at = clock.now()
                if not self._ears:
                    self._changed.wait()
                    tick_at = clock.now()
                elif (early := tick_at - clock.now()) > 0:
                    self._changed.wait(early)
                else:
                    self._tick()
                    missed = int((clock.now() - tick_at) / TICK_S)
                    tick_at += (missed + 1) * TICK_S

    def _tick(self) -> None:
        waiting = list(self._ears)
        while waiting := [call for call in waiting if self._try(call, _Ear.take)]:
            ears = [self._ears[call] for call in waiting]
            try:
                windows = [ear.window for ear in ears]
                judged = self._model.judge(windows, [ear.memory for ear in ears])
            except Exception as error:  # noqa: BLE001 - border: the model may fail in any way; the next tick tries again
                _count(error)
                self._failures += 1
                if self._failures >= GIVEN_UP:
                    for call in list(self._ears):
                        self._give_up(call)
                return
            self._failures = 0
            for ear, probability in zip(ears, judged, strict=True):
                ear.probability = probability
            waiting = [call for call in waiting if self._try(call, _Ear.hear)]

    def _try(self, call: str, step: "Callable[[_Ear], bool]") -> bool:
        """One step for one call; false when it was the last of this tick."""
        ear = self._ears.get(call)
        if ear is None:
            return False
        try:
            return step(ear)
        except Exception as error:  # noqa: BLE001 - border: one call may fail in any way; the others are heard on
            _count(error)
            self._give_up(call)
            return False

    def _give_up(self, call: str) -> None:
        """A call is heard no more, and told so."""
        ear = self._ears.pop(call)
        try:
            ear.deafened()
        except Exception as error:  # noqa: BLE001 - border: whoever cannot even be told has failed already
            _count(error)


def _count(error: Exception) -> None:
    metrics.ENGINE_FAILED.labels("vad").inc()
    log.failure("engine.failed", error, stage="vad")


class _Ear:
    """One call as the thread hears it."""

    def __init__(
        self, source: Source, segmenter: Segmenter, told: Told, probed: Probed | None
    ) -> None:
        self.memory = Memory()
        self.window: Pcm
        self.probability = 0.0
        self._source = source
        self._segmenter = segmenter
        self._told = told
        self._probed = probed
        self._start = 0
        self._overrun = source.ring.overrun

    @property
    def stirring(self) -> bool:
        return self._segmenter.stirring

    def take(self) -> bool:
        """Takes the next window, if a whole one waits; counts what came too fast to be taken."""
        ring = self._source.ring
        window = ring.take(WINDOW)
        if ring.overrun != self._overrun:
            metrics.OVERRUNS.labels("hearing").inc(ring.overrun - self._overrun)
            self._overrun = ring.overrun
            self.memory = Memory()  # what it remembers is not what came before this window
        if window is None:
            return False
        self.window = window
        self._start = ring.taken - WINDOW
        return True

    def deafened(self) -> None:
        self._told(Deafened(clock.now()))

    def hear(self) -> bool:
        """Passes on what the model said of the window."""
        if self._probed is not None:
            self._probed(self._start, self.probability)
        verdict = self._segmenter.hear(self._start, self.window, self.probability)
        if verdict is not None:
            self._told(verdict)
        return True
