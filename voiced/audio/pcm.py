"""What PCM is in this program: int16, mono, native byte order, in a numpy array.

It does not know where samples come from or go to.
"""

import numpy as np
import numpy.typing as npt

Pcm = npt.NDArray[np.int16]
"""Mono samples, shape [n]. The rate travels beside it, in a name that ends in `_hz`."""

HEARING_HZ = 16_000
"""Rate of all that is heard: Opus is decoded to it, VAD and recogniser take it."""

SPEAKING_HZ = 24_000
"""Rate of all that is spoken: every voice is resampled to it, Opus is encoded from it."""

FRAME_S = 0.020
"""Seconds of audio in one RTP packet."""

HEARING_FRAME = HEARING_HZ // 50
SPEAKING_FRAME = SPEAKING_HZ // 50


def from_float(samples: npt.NDArray[np.float32]) -> Pcm:
    """Float samples in -1..1 as int16; louder ones are clipped, never wrapped."""
    pcm: Pcm = np.clip(np.rint(samples * 32767.0), -32768, 32767).astype(np.int16)
    return pcm


def to_float(pcm: Pcm) -> npt.NDArray[np.float32]:
    """int16 as float32 in -1..1, as VAD and recogniser want it."""
    return pcm.astype(np.float32) / np.float32(32768.0)


def level_db(pcm: Pcm) -> float:
    """RMS level in dB of full scale; -100 for digital silence or no samples at all."""
    if not len(pcm):
        return -100.0
    power = float(np.mean(np.square(pcm.astype(np.float64) / 32768.0)))
    return 10.0 * float(np.log10(max(power, 1e-10)))
