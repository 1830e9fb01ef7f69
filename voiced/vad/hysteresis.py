"""From a probability for each window to verdicts: where speech began, where it fell silent.

    probability   .1  .2  .9  .8  .9  .4  .9  .2  .1  .1  .1
                          |begins             |ends (its sample), told when the silence is
                              ^told           long enough to believe:             ^

Two thresholds: a window at or above the upper one is voiced; only below the lower one is it silent;
between them it changes nothing, except that speech goes on through it. A few windows of either are
not believed (clicks; stops inside words), and positions are those of the sound, not of the moment
when it was believed.

Pure. It does not know the model that gives the probabilities, threads or turns.
"""

from collections.abc import Callable

from voiced.audio.pcm import HEARING_HZ
from voiced.config import settings
from voiced.vad.model import SpeechBegan, SpeechEnded, Verdict

WINDOW = 512
"""Samples of one window: 32 ms at 16 kHz."""

WINDOW_S = WINDOW / HEARING_HZ

_GAP = 0.15
"""How far the lower threshold lies below the upper one."""


class Hysteresis:
    """One call's verdicts. Fed every window in order, by one thread."""

    def __init__(self, pace: settings.Vad, instant: Callable[[int], float]) -> None:
        """`instant` turns a sample's position into seconds of voiced.clock."""
        self._upper = pace.threshold
        self._lower = max(pace.threshold - _GAP, 0.01)
        self._speech = _windows(pace.min_speech_ms)
        self._silence = _windows(pace.min_silence_ms)
        self._instant = instant
        self._speaking = False
        self._first = 0
        self._end = 0
        self._voiced = 0
        self._silent = 0

    @property
    def stirring(self) -> bool:
        """The newest window is voiced, and not yet believed to be speech."""
        return not self._speaking and self._voiced > 0 and self._silent == 0

    def hear(self, start: int, probability: float) -> Verdict | None:
        """Takes one window, `start` the position of its first sample; a verdict if it settles one.

        A window settles at most one: what begins speech cannot end it. So any number of windows may
        be fed at once, and several verdicts come out in their order.
        """
        if probability >= self._upper:
            return self._hear_speech(start)
        if probability >= self._lower and self._voiced:
            self._end = start + WINDOW
            self._silent = 0
            return None
        return self._hear_silence()

    def close(self) -> Verdict | None:
        """The sound is over: speech that still goes on ends with it."""
        return self._fall_silent() if self._speaking else None

    def _hear_speech(self, start: int) -> Verdict | None:
        if self._voiced == 0:
            self._first = start
        self._end = start + WINDOW
        self._voiced += 1
        self._silent = 0
        if self._speaking or self._voiced < self._speech:
            return None
        self._speaking = True
        return SpeechBegan(self._instant(self._first), self._first)

    def _hear_silence(self) -> Verdict | None:
        self._silent += 1
        if self._silent < self._silence:
            return None
        if self._speaking:
            return self._fall_silent()
        self._voiced = 0
        return None

    def _fall_silent(self) -> Verdict:
        ended = SpeechEnded(self._instant(self._end), self._end, self._voiced * WINDOW_S)
        self._speaking = False
        self._voiced = self._silent = 0
        return ended


def _windows(milliseconds: int) -> int:
    """The whole windows that last at least so long; one at the least."""
    return max(1, -(-milliseconds * HEARING_HZ // (1000 * WINDOW)))
