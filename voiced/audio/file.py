"""Recordings on disk: WAV, FLAC, OGG or MP3 in, mono PCM out.

It does not know what is in them. A message names the file and never its sound.
"""

from pathlib import Path

import numpy as np
import soundfile

from voiced.audio.pcm import Pcm, from_float
from voiced.audio.resample import Resampler
from voiced.errors import UnavailableError


def read(path: Path, hz: int) -> Pcm:
    """All of a recording at the rate `hz`; channels are mixed. Raises UnavailableError."""
    if not path.is_file():
        raise UnavailableError(f"{path}: there is no such file")
    try:
        samples, file_hz = soundfile.read(str(path), dtype="float32", always_2d=True)
    except soundfile.LibsndfileError:
        raise UnavailableError(f"{path}: cannot be read as WAV, FLAC, OGG or MP3") from None
    pcm = from_float(samples.mean(axis=1)) if samples.shape[1] > 1 else _exact(samples[:, 0])
    if file_hz == hz:
        return pcm
    stream = Resampler(file_hz, hz)
    return np.concatenate([stream.push(pcm), stream.end()])


def _exact(samples: "np.typing.NDArray[np.float32]") -> Pcm:
    """int16 samples that the library gave as float32, unchanged; others rounded."""
    pcm: Pcm = np.clip(np.rint(samples * 32768.0), -32768, 32767).astype(np.int16)
    return pcm
