"""A soft sound that says: I am here, one moment. Pure.

It is no speech and no alarm: one low note that swells and dies away, much softer than a voice.
"""

import numpy as np

from voiced.audio.pcm import SPEAKING_HZ, Pcm

_SECONDS = 0.3
_NOTE_HZ = 392.0
_LEVEL_DB = -30.0


def soft_sound() -> Pcm:
    """At SPEAKING_HZ; begins and ends in silence."""
    time = np.arange(int(_SECONDS * SPEAKING_HZ)) / SPEAKING_HZ
    swell = np.sin(np.pi * time / _SECONDS) ** 2
    loud = 10 ** (_LEVEL_DB / 20) * 32767
    note: Pcm = (np.sin(2 * np.pi * _NOTE_HZ * time) * swell * loud).astype(np.int16)
    return note
