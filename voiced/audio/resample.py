"""PCM from one rate to another, chunk by chunk, without a seam between the chunks.

The filter's state lives as long as the stream, so cutting the input elsewhere changes no sample. It
does not know frames or what is said.
"""

import numpy as np
import soxr

from voiced.audio.pcm import Pcm

_QUALITY = "HQ"
"""20-bit quality: stop band far below int16's own noise, at 0.1 ms for half a second of speech."""


class Resampler:
    """One stream of PCM. `push` as often as wanted, then `end`, once. One thread at a time."""

    def __init__(self, from_hz: int, to_hz: int) -> None:
        self._same = from_hz == to_hz
        self._ended = False
        self._stream = soxr.ResampleStream(from_hz, to_hz, 1, dtype="float32", quality=_QUALITY)

    def push(self, pcm: Pcm) -> Pcm:
        """What can be said already at the new rate; some 20 ms stay inside until more comes."""
        if self._ended:
            raise ValueError("the stream has ended: make a new Resampler")
        return pcm if self._same else self._resampled(pcm, last=False)

    def end(self) -> Pcm:
        """What was still inside."""
        self._ended = True
        empty: Pcm = np.zeros(0, np.int16)
        return empty if self._same else self._resampled(empty, last=True)

    def _resampled(self, pcm: Pcm, *, last: bool) -> Pcm:
        # in float: on int16 the library adds dither, which depends on where the chunks are cut
        samples = self._stream.resample_chunk(pcm.astype(np.float32), last=last)
        resampled: Pcm = np.clip(np.rint(samples), -32768, 32767).astype(np.int16)
        return resampled
