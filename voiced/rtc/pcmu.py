"""G.711 µ-law (PCMU), as telephone gateways speak it: the hearing rate out, the speaking rate in.

Half the band of Opus, and nothing made up for what is lost. It does not know RTP or rings.
"""

import numpy as np
from numpy.typing import NDArray

from voiced.audio.pcm import HEARING_HZ, SPEAKING_HZ, Pcm

HZ = 8_000
_UP = HEARING_HZ // HZ
_DOWN = SPEAKING_HZ // HZ

_BIAS, _CLIP = 0x84, 32_635
_TAPS = 24
"""On each side of a filter's middle: 3.4 kHz pass, what would fold over is 50 dB down."""

Filter = NDArray[np.float32]


def _expanded() -> Pcm:
    """What each of the 256 codes sounds like (G.711, table 2b)."""
    codes = ~np.arange(256, dtype=np.int32) & 0xFF
    exponent, mantissa = codes >> 4 & 7, codes & 15
    magnitude = ((mantissa << 3) + _BIAS << exponent) - _BIAS
    return np.where(codes & 0x80, -magnitude, magnitude).astype(np.int16)


def _low_pass(hz: int) -> Filter:
    """Lets telephone speech through, at a rate above its own."""
    at = np.arange(-_TAPS * hz // 16_000, _TAPS * hz // 16_000 + 1)
    taps = np.sinc(2 * 3_700 / hz * at) * np.hamming(len(at))
    low_pass: Filter = (taps / taps.sum()).astype(np.float32)
    return low_pass


_EXPANDED = _expanded()
_UP_TAPS = _low_pass(HEARING_HZ) * np.float32(_UP)
_DOWN_TAPS = _low_pass(SPEAKING_HZ)


def samples(packet: bytes) -> int:
    """How many samples of the hearing rate a packet holds."""
    return len(packet) * _UP


class Decoder:
    """Mono, HEARING_HZ; one call's."""

    def __init__(self) -> None:
        self._filter = _Filter(_UP_TAPS)

    def decode(self, packet: bytes) -> Pcm:
        """The packet's sound, 1.5 ms late."""
        spread = np.zeros(len(packet) * _UP, np.float32)
        spread[::_UP] = _EXPANDED[np.frombuffer(packet, np.uint8)]
        return self._filter(spread)

    def recover(self, _following: bytes, count: int) -> Pcm:
        """`count` samples that were lost: silence."""
        return self.conceal(count)

    def conceal(self, count: int) -> Pcm:
        return np.zeros(count, np.int16)


class Encoder:
    """Mono, SPEAKING_HZ in; one call's."""

    def __init__(self) -> None:
        self._filter = _Filter(_DOWN_TAPS)

    def encode(self, pcm: Pcm) -> bytes:
        """One frame, of any length that is whole at 8 kHz."""
        narrow = self._filter(pcm.astype(np.float32))[::_DOWN].astype(np.int32)
        magnitude = np.minimum(np.abs(narrow), _CLIP) + _BIAS
        exponent = np.log2(magnitude).astype(np.int32) - 7
        mantissa = magnitude >> exponent + 3 & 15
        codes = np.where(narrow < 0, 0x80, 0) | exponent << 4 | mantissa
        return bytes((~codes & 0xFF).astype(np.uint8))


class _Filter:
    """Remembers what it needs of the frame before."""

    def __init__(self, taps: Filter) -> None:
        self._taps = taps
        self._before = np.zeros(len(taps) - 1, np.float32)

    def __call__(self, pcm: Filter) -> Pcm:
        whole = np.concatenate([self._before, pcm])
        self._before = whole[-len(self._before) :]
        out = np.convolve(whole, self._taps, "valid")
        return np.clip(np.rint(out), -32_768, 32_767).astype(np.int16)
