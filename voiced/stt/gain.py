"""Lifts an utterance that is very quiet: the recogniser was trained on louder ones.

Pure. It does not know speech from noise; what is not very quiet is left as it came.
"""

import numpy as np
import numpy.typing as npt

from voiced.audio.pcm import Pcm, to_float

_QUIET = 600 / 32768
"""An utterance whose peaks stay below this, 35 dB under full scale, is very quiet."""

_MOST = 10.0
"""20 dB: noise is lifted as well, and above it nothing more is understood."""

_PEAKS = 99.5
"""Percent of the samples that lie below what counts as a peak: clicks do not."""


def lifted(pcm: Pcm) -> npt.NDArray[np.float32]:
    """The utterance as floats, louder if it was very quiet."""
    sound = to_float(pcm)
    peak = float(np.percentile(np.abs(sound), _PEAKS)) if len(sound) else 0.0
    if not 0.0 < peak < _QUIET:
        return sound
    louder: npt.NDArray[np.float32] = np.clip(sound * np.float32(_MOST), -1.0, 1.0)
    return louder
