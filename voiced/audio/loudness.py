"""How loud speech is to an ear: integrated loudness as EBU R 128 and ITU-R BS.1770 define it, mono.

Weighted as the head and the ear do, averaged over blocks of 400 ms, without those that are silence
or far below the rest. It does not know what is said.
"""

import numpy as np
import numpy.typing as npt

from voiced.audio.pcm import Pcm, to_float

_BLOCK_S = 0.4
_STEP_S = 0.1
_ABSOLUTE_LUFS = -70.0
_RELATIVE_LU = -10.0
_OFFSET = -0.691
"""So that a 997 Hz sine of full scale is -3.01 LUFS."""

_SHELF = (1681.974450955533, 3.999843853973347, 0.7071752369554196)
_HIGH_PASS = (38.13547087602444, 0.0, 0.5003270373238773)
"""Corner in Hz, gain in dB, quality: from them BS.1770's table for 48 kHz and any other rate."""

SILENT_LUFS = -100.0


def integrated_lufs(pcm: Pcm, hz: int) -> float:
    """Loudness in LUFS; SILENT_LUFS for silence or less than 400 ms."""
    power = np.square(_weighted(to_float(pcm), hz))
    block, step = int(_BLOCK_S * hz), int(_STEP_S * hz)
    sums = np.concatenate([[0.0], np.cumsum(power)])
    starts = np.arange(0, len(power) - block + 1, step)
    blocks = (sums[starts + block] - sums[starts]) / block
    loud = blocks[_lufs(blocks) > _ABSOLUTE_LUFS]
    if not len(loud):
        return SILENT_LUFS
    gate = float(_lufs(loud.mean())) + _RELATIVE_LU
    return float(_lufs(loud[_lufs(loud) > gate].mean()))


def _lufs(power: npt.ArrayLike) -> npt.NDArray[np.float64]:
    found: npt.NDArray[np.float64] = _OFFSET + 10 * np.log10(np.maximum(power, 1e-12))
    return found


def _weighted(samples: npt.NDArray[np.float32], hz: int) -> npt.NDArray[np.float64]:
    """Both filters at once, in the frequency domain; padded, so that the ends do not meet."""
    size = len(samples) + hz // 2
    z = np.exp(-2j * np.pi * np.fft.rfftfreq(size))
    curve = _response(z, hz, *_SHELF, shelf=True) * _response(z, hz, *_HIGH_PASS, shelf=False)
    filtered = np.fft.irfft(np.fft.rfft(samples, size) * curve, size)
    return filtered[: len(samples)]


def _response(
    z: npt.NDArray[np.complex128],
    hz: int,
    corner: float,
    gain_db: float,
    quality: float,
    *,
    shelf: bool,
) -> npt.NDArray[np.complex128]:
    """A biquad's transfer function at z to the power of -1."""
    k = np.tan(np.pi * corner / hz)
    high = 10 ** (gain_db / 20)
    band = high**0.4996667741545416
    norm = 1 + k / quality + k * k
    if shelf:
        b = (
            high + band * k / quality + k * k,
            2 * (k * k - high),
            high - band * k / quality + k * k,
        )
        above = b[0] + b[1] * z + b[2] * z * z
        above = above / norm
    else:
        above = 1 - 2 * z + z * z
    below = 1 + 2 * (k * k - 1) / norm * z + (1 - k / quality + k * k) / norm * z * z
    found: npt.NDArray[np.complex128] = above / below
    return found
