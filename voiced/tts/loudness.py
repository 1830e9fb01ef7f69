"""A voice's fixed gain, and a limiter that bends what is too loud and never wraps.

Each sample is bent by itself, without a state, so chunks join without a seam. A whole sentence's
peak is not known while it streams; hence a gain per voice, not per sentence.
"""

import numpy as np
import numpy.typing as npt

from voiced.audio.pcm import Pcm, from_float

_KNEE = 0.85
"""Full scale; louder samples approach 1.0 without reaching it."""

_ABSURD = np.float32(64.0)
"""A sample beyond it comes from a broken model; the arithmetic stays finite."""


def leveled(samples: npt.NDArray[np.float32], gain: float) -> Pcm:
    """Float samples, louder by `gain`, as int16."""
    louder = np.clip(np.nan_to_num(samples * np.float32(gain)), -_ABSURD, _ABSURD)
    level = np.abs(louder)
    over = np.maximum(level - _KNEE, 0.0) / (1.0 - _KNEE)
    bent = np.minimum(level, _KNEE) + (1.0 - _KNEE) * np.tanh(over)
    return from_float(np.copysign(bent, louder).astype(np.float32))
