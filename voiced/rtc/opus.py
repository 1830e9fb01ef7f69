"""Opus through libopus itself: decoding straight to the hearing rate, lost packets recovered.

PyAV's codec can neither use in-band FEC nor conceal a loss, and decodes to 48 kHz only. The library
is called with the GIL held: a frame takes less time than getting the GIL back would under load.

It does not know RTP, sequence numbers or rings.
"""

import ctypes
import ctypes.util
import functools
import weakref
from pathlib import Path

import av
import numpy as np

from voiced.audio.pcm import HEARING_HZ, SPEAKING_HZ, Pcm
from voiced.errors import UnavailableError

_LONGEST_MS = 120
"""The longest packet that Opus allows."""

_LARGEST_BYTES = 1275
"""The largest Opus frame."""

_SETTLED = 10
"""Frames of silence after which neither end remembers what was before."""

_APPLICATION_VOIP = 2048
_SIGNAL_VOICE = 3001
_SET_BITRATE = 4002
_SET_COMPLEXITY = 4010
_SET_INBAND_FEC = 4012
_SET_PACKET_LOSS_PERCENT = 4014
_SET_DTX = 4016
_SET_SIGNAL = 4024

_GRAIN = HEARING_HZ // 400
"""Concealment comes in steps of 2.5 ms."""

_Pointer = ctypes.c_void_p
_Int = ctypes.c_int
_Int32 = ctypes.c_int32


class OpusError(ValueError):
    """libopus refused a packet or a setting; the code is its own."""


@functools.cache
def library() -> ctypes.PyDLL:
    """libopus: the system's, else the copy inside PyAV's wheel. Raises UnavailableError."""
    name = ctypes.util.find_library("opus") or _bundled()
    lib = ctypes.PyDLL(name)
    errors = ctypes.POINTER(_Int)
    for function, result, arguments in (
        ("opus_decoder_create", _Pointer, [_Int32, _Int, errors]),
        ("opus_decoder_destroy", None, [_Pointer]),
        ("opus_decode", _Int, [_Pointer, ctypes.c_char_p, _Int32, _Pointer, _Int, _Int]),
        ("opus_packet_get_nb_samples", _Int, [ctypes.c_char_p, _Int32, _Int32]),
        ("opus_encoder_create", _Pointer, [_Int32, _Int, _Int, errors]),
        ("opus_encoder_destroy", None, [_Pointer]),
        ("opus_encoder_ctl", _Int, [_Pointer, _Int]),
        ("opus_encode", _Int32, [_Pointer, _Pointer, _Int, _Pointer, _Int32]),
    ):
        entry = getattr(lib, function)
        entry.restype, entry.argtypes = result, arguments
    return lib


def _bundled() -> str:
    beside = Path(av.__file__).parent.parent / "av.libs"
    for path in sorted(beside.glob("libopus*")):
        return str(path)
    raise UnavailableError("libopus is not installed: apt install libopus0")


def samples(packet: bytes, rate_hz: int = HEARING_HZ) -> int:
    """How many samples a packet holds. Raises OpusError."""
    return _checked(library().opus_packet_get_nb_samples(packet, len(packet), rate_hz))


class Decoder:
    """Mono, HEARING_HZ; one call's, with the state of all packets before."""

    def __init__(self) -> None:
        error = _Int()
        lib = library()
        self._state = lib.opus_decoder_create(HEARING_HZ, 1, ctypes.byref(error))
        _checked(error.value)
        weakref.finalize(self, lib.opus_decoder_destroy, self._state)
        self._decode = lib.opus_decode
        self._out: Pcm = np.zeros(HEARING_HZ * _LONGEST_MS // 1000, np.int16)
        self._at = self._out.ctypes.data

    def decode(self, packet: bytes) -> Pcm:
        """The packet's sound. Raises OpusError."""
        return self._run(packet, len(self._out), fec=0)

    def recover(self, following: bytes, count: int) -> Pcm:
        """`count` samples that were lost before `following`: its FEC, where it has any."""
        return self._run(following, _grains(count), fec=1)

    def conceal(self, count: int) -> Pcm:
        """`count` samples made up from what was heard before."""
        return self._run(None, _grains(count), fec=0)

    def _run(self, packet: bytes | None, count: int, fec: int) -> Pcm:
        length = len(packet) if packet else 0
        got = _checked(self._decode(self._state, packet, length, self._at, count, fec))
        return self._out[:got].copy()


class Encoder:
    """Mono, VOIP, 32 kbit/s with in-band FEC and no DTX; `rate_hz` of 8, 12, 16, 24 or 48 kHz."""

    def __init__(self, rate_hz: int = SPEAKING_HZ) -> None:
        error = _Int()
        lib = library()
        self._state = lib.opus_encoder_create(rate_hz, 1, _APPLICATION_VOIP, ctypes.byref(error))
        _checked(error.value)
        weakref.finalize(self, lib.opus_encoder_destroy, self._state)
        for setting, value in (
            (_SET_BITRATE, 32_000),
            (_SET_COMPLEXITY, 5),
            (_SET_INBAND_FEC, 1),
            (_SET_PACKET_LOSS_PERCENT, 5),
            (_SET_DTX, 0),
            (_SET_SIGNAL, _SIGNAL_VOICE),
        ):
            _checked(lib.opus_encoder_ctl(self._state, setting, _Int32(value)))
        self._encode = lib.opus_encode
        self._out = ctypes.create_string_buffer(_LARGEST_BYTES)
        self._silent = 0  # frames of nothing in a row
        self._silence = b""  # the newest of them

    def encode(self, pcm: Pcm) -> bytes:
        """One frame of 2.5, 5, 10, 20, 40 or 60 ms. Raises OpusError.

        Once silence has settled its packet is sent again: libopus takes as long for nothing as for
        speech, and a call is silent most of the time.
        """
        self._silent = 0 if np.count_nonzero(pcm) else self._silent + 1
        if self._silent <= _SETTLED:
            self._silence = self._encoded(pcm)
        return self._silence

    def _encoded(self, pcm: Pcm) -> bytes:
        whole = np.ascontiguousarray(pcm, np.int16)
        length = _checked(
            self._encode(self._state, whole.ctypes.data, len(whole), self._out, _LARGEST_BYTES)
        )
        return self._out.raw[:length]


def _grains(count: int) -> int:
    return max(count // _GRAIN, 1) * _GRAIN


def _checked(code: int) -> int:
    if code < 0:
        raise OpusError(f"libopus: error {code}")
    return int(code)
