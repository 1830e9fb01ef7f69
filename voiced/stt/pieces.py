"""Cuts a long utterance at its quietest places into pieces that fit the model's window.

    |<------- at most 28 s ------->|
    |              |<- looked at ->|       the quietest 0.4 s in there is cut in the middle

Nothing is lost and nothing is doubled: the pieces, joined, are the utterance. Pure.
"""

import numpy as np

from voiced.audio.pcm import HEARING_HZ, Pcm
from voiced.stt.windows import LONGEST_S

_LONGEST = LONGEST_S * HEARING_HZ
_EARLIEST = _LONGEST // 2
"""A piece is at least half as long as it may be, so that there are few of them."""

_STEP = HEARING_HZ // 50
_SPAN = 20
"""Steps of 20 ms whose loudness is taken together."""


def cut(pcm: Pcm) -> list[Pcm]:
    """The pieces in order; one of them for an utterance of up to 28 s."""
    pieces = []
    while len(pcm) > _LONGEST:
        at = _quietest(pcm[_EARLIEST:_LONGEST]) + _EARLIEST
        pieces.append(pcm[:at])
        pcm = pcm[at:]
    return [*pieces, pcm]


def _quietest(pcm: Pcm) -> int:
    """The middle of the quietest place; the latest of those that are equally quiet."""
    steps = pcm[: len(pcm) // _STEP * _STEP].reshape(-1, _STEP)
    power = np.mean(np.square(steps.astype(np.float64)), axis=1)
    smooth = np.convolve(power, np.ones(_SPAN), mode="valid")
    latest = len(smooth) - 1 - int(np.argmin(smooth[::-1]))
    return (latest + _SPAN // 2) * _STEP
