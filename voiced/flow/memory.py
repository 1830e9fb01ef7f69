"""Locked anonymous memory: a memfd, mapped once, kept out of swap and out of core dumps.

It does not know what is stored in it. Sound of a call lies here and nowhere else.
"""

import ctypes
import mmap
import os
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt

from voiced.ops import metrics

_libc = ctypes.CDLL(None, use_errno=True)


class Locked:
    """`samples` int16 in shared memory. `close` unmaps it; idempotent.

    The memory has no name in any file system (memfd), so nothing has to be unlinked, whatever kills
    the process. Where the limit on locked memory (RLIMIT_MEMLOCK) is too small it is used unlocked,
    and counted.
    """

    def __init__(self, samples: int) -> None:
        size = samples * 2
        descriptor = os.memfd_create("voiced-pcm", os.MFD_CLOEXEC)
        try:
            os.ftruncate(descriptor, size)
            self._map = mmap.mmap(descriptor, size)
        finally:
            os.close(descriptor)  # the mapping keeps the memory
        self._map.madvise(mmap.MADV_DONTDUMP)
        self.samples: npt.NDArray[np.int16] = np.frombuffer(self._map, dtype=np.int16)
        if _libc.mlock(ctypes.c_void_p(self.samples.ctypes.data), ctypes.c_size_t(size)) != 0:
            metrics.UNLOCKED_RINGS.inc()

    def close(self) -> None:
        """Erases and unmaps. No view of `samples` may be used afterwards."""
        if self._map.closed:
            return
        self.samples[:] = 0
        self.samples = _EMPTY
        with suppress(BufferError):  # somebody holds a view: unmapped, all zeros, when it goes
            self._map.close()


_EMPTY: npt.NDArray[Any] = np.zeros(0, np.int16)
