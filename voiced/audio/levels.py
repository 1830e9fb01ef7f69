"""Where a recording is loud: an energy labeller, which knows nothing but power.

Measurements use it for the first and last voiced sample, so that they do not depend on the
product's own detector. It does not know speech from a slammed door.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from voiced.audio.pcm import Pcm

WINDOW_S = 0.010
AUDIBLE_DB = -45.0
"""Above this, for AUDIBLE_WINDOWS in a row, somebody on the line would hear it."""

AUDIBLE_WINDOWS = 2

_SILENT_DB = -100.0
_BELOW_SPEECH_DB = 35.0
_ABOVE_NOISE_DB = 6.0
_NEAREST_TO_SPEECH_DB = 12.0

Levels = npt.NDArray[np.float32]
"""dB of full scale, one per window of 10 ms."""


class Span(NamedTuple):
    """Samples [first, last]: both are voiced."""

    first: int
    last: int


def levels(pcm: Pcm, hz: int) -> Levels:
    """RMS level of every whole window; -100 for digital silence."""
    size = int(hz * WINDOW_S)
    windows = pcm[: len(pcm) // size * size].reshape(-1, size).astype(np.float32) / 32768.0
    power = np.maximum(np.mean(np.square(windows), axis=1), 1e-10)
    result: Levels = (10.0 * np.log10(power)).astype(np.float32)
    return result


def threshold_db(loudness: Levels) -> float:
    """What counts as voiced: 35 dB below the loud parts, or 6 dB above the noise if that is more.

    The noise is what the quietest tenth has; in a recording without pauses that is speech too, so
    the threshold stays 12 dB below the loud parts at least.
    """
    if not len(loudness):
        return 0.0
    quiet, loud = (float(level) for level in np.percentile(loudness, (10, 95)))
    above_noise = min(quiet + _ABOVE_NOISE_DB, loud - _NEAREST_TO_SPEECH_DB)
    return max(loud - _BELOW_SPEECH_DB, above_noise)


def voiced_span(pcm: Pcm, hz: int) -> Span | None:
    """The first and the last voiced sample of a recording; None where all is silence.

    A single loud window of 10 ms is a click.
    """
    loudness = levels(pcm, hz)
    loud = loudness > max(threshold_db(loudness), _SILENT_DB + 1.0)
    starts = np.flatnonzero(loud[:-1] & loud[1:])
    if not len(starts):
        return None
    size = int(hz * WINDOW_S)
    return Span(int(starts[0]) * size, (int(starts[-1]) + 2) * size - 1)


def onset(loudness: Levels, floor_db: float = AUDIBLE_DB) -> int | None:
    """Index of the first window from which it is audible: AUDIBLE_WINDOWS in a row above it."""
    loud = loudness > floor_db
    for start in np.flatnonzero(loud):
        if loud[start : start + AUDIBLE_WINDOWS].sum() == AUDIBLE_WINDOWS:
            return int(start)
    return None
