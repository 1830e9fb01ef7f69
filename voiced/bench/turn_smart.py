"""The baseline of `voiced bench turn`: Smart Turn v3.2 behind a detector, as pipecat 1.14 runs it.

Speech is six windows at or above 0.7, silence six below it (192 ms). Then the model hears the turn
so far (its last 8 s, half a second and the detector's delay before its first word included): above
0.5 the turn is over, else it is over after 3 s more. Its minimum volume, and its wait for the
transcript after that, are left out: both could only make it later.

It does not know ours, nor what was said.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnxruntime
from faster_whisper.feature_extractor import FeatureExtractor

from voiced.audio.pcm import HEARING_HZ, Pcm, to_float
from voiced.bench.effort import Effort
from voiced.vad.hysteresis import WINDOW, WINDOW_S

HEARS_S = 8
_SPEECH = 0.7
_WINDOWS = 6
_COMPLETE = 0.5
_FALL_BACK_S = 3.0
_BEFORE = int(0.7 * HEARING_HZ)


class SmartTurn:
    """The resident model. One thread at a time."""

    def __init__(self, path: Path, threads: int) -> None:
        """pipecat's own default is one thread."""
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(
            str(path), options, providers=["CPUExecutionProvider"]
        )
        self._extract = FeatureExtractor(feature_size=80)

    def likely_over(self, pcm: Pcm) -> float:
        """The probability that the turn ends with this sound."""
        features = {"input_features": self._features(pcm)}
        (probability,) = self._session.run(None, features)
        return float(np.ravel(probability)[0])

    def _features(self, pcm: Pcm) -> npt.NDArray[np.float32]:
        """Log-mel of the last 8 s, zeros in front: shape [1, 80, 800]."""
        sound = to_float(pcm[-HEARS_S * HEARING_HZ :])
        sound = np.pad(sound, (HEARS_S * HEARING_HZ - len(sound), 0))
        sound = (sound - sound.mean()) / np.sqrt(sound.var() + 1e-7)
        found: npt.NDArray[np.float32] = self._extract(sound.astype(np.float32), padding=0)
        return found[None, :, : 100 * HEARS_S].astype(np.float32)


def ends(pcm: Pcm, probabilities: Sequence[float], model: SmartTurn) -> list[float]:
    """Seconds at which it calls the caller's turn over; `probabilities` of speech by window."""
    found: list[float] = []
    began: int | None = None
    speaking, run = False, 0
    over_at: float | None = None
    for number, probability in enumerate(probabilities):
        now = (number + 1) * WINDOW_S
        if over_at is not None and over_at <= now:
            found.append(over_at)
            began = over_at = None
        run = run + 1 if (probability >= _SPEECH) is not speaking else 0
        if run < _WINDOWS:
            continue
        speaking, run = not speaking, 0
        if speaking:
            over_at = None
            first = max((number + 1 - _WINDOWS) * WINDOW - _BEFORE, 0)
            began = first if began is None else began
        elif began is not None:
            effort = Effort(threads=1)
            complete = model.likely_over(pcm[began : (number + 1) * WINDOW]) > _COMPLETE
            over_at = now + (effort.seconds if complete else _FALL_BACK_S)
    return found
