"""One call's sound, window by window, to verdicts: the detector's word, its edges made exact.

It does not know which model gives the probabilities, threads or turns.
"""

from collections.abc import Callable

from voiced.audio.pcm import Pcm
from voiced.config import settings
from voiced.vad.edges import Edges
from voiced.vad.hysteresis import Hysteresis
from voiced.vad.model import SpeechBegan, SpeechEnded, Verdict


class Segmenter:
    """Fed every window in order, by one thread."""

    def __init__(self, pace: settings.Vad, instant: Callable[[int], float]) -> None:
        """`instant` turns a sample's position into seconds of voiced.clock."""
        self._hysteresis = Hysteresis(pace, instant)
        self._edges = Edges()

    @property
    def stirring(self) -> bool:
        """Speech may just have begun; the next windows will tell."""
        return self._hysteresis.stirring

    def hear(self, start: int, window: Pcm, probability: float) -> Verdict | None:
        """Takes one window, `start` the position of its first sample; a verdict if it settles
        one."""
        self._edges.hear(start, window)
        return self._exact(self._hysteresis.hear(start, probability))

    def close(self) -> Verdict | None:
        """The sound is over: speech that still goes on ends with it."""
        return self._exact(self._hysteresis.close())

    def _exact(self, verdict: Verdict | None) -> Verdict | None:
        match verdict:
            case SpeechBegan():
                return self._edges.began(verdict)
            case SpeechEnded():
                return self._edges.ended(verdict)
            case None:
                return None
