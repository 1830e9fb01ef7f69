"""A CUDA stream whose kernels go before those of other streams: a voice's, beside big models.

The card finishes a block of a kernel that runs, and then takes those of the stream with the highest
priority. Made through the CUDA runtime that the engines have loaded; where that is not to be found,
there is no such stream, and the log says so. It does not know what runs on it.
"""

import ctypes
from collections.abc import Callable
from typing import Any

from voiced.ops import log

_RUNTIMES = ("libcudart.so.12", "libcudart.so.13", "libcudart.so")
_NON_BLOCKING = 1


def urgent_stream(load: Callable[[str], Any] = ctypes.CDLL) -> int | None:
    """The address of a new stream on the current card, for the life of the process; or None."""
    for name in _RUNTIMES:
        try:
            runtime = load(name)
        except OSError:
            continue
        made = _made(runtime)
        if made is not None:
            return made
    log.warning("gpu.without_priority")
    return None


def _made(runtime: Any) -> int | None:
    least, greatest = ctypes.c_int(), ctypes.c_int()  # the greatest priority is the lowest number
    if runtime.cudaDeviceGetStreamPriorityRange(ctypes.byref(least), ctypes.byref(greatest)):
        return None
    stream = ctypes.c_void_p()
    failed = runtime.cudaStreamCreateWithPriority(ctypes.byref(stream), _NON_BLOCKING, greatest)
    return None if failed else stream.value
