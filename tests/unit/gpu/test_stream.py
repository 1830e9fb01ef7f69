"""A stream is asked for with the greatest priority; without a card there is none, and no harm."""

import ctypes
from typing import Any

import pytest

from voiced.gpu.stream import urgent_stream

pytestmark = pytest.mark.unit


class Runtime:
    """A CUDA runtime whose priorities go from 0 to -5."""

    def __init__(self, failure: int = 0) -> None:
        self.failure = failure
        self.asked: list[tuple[int, int]] = []

    def cudaDeviceGetStreamPriorityRange(self, least: Any, greatest: Any) -> int:
        least._obj.value, greatest._obj.value = 0, -5
        return self.failure

    def cudaStreamCreateWithPriority(self, stream: Any, flags: int, priority: ctypes.c_int) -> int:
        self.asked.append((flags, priority.value))
        stream._obj.value = 0xBEEF
        return 0


def absent(_name: str) -> Any:
    raise OSError


def test_the_stream_has_the_greatest_priority_and_waits_for_no_other() -> None:
    runtime = Runtime()

    assert 0xBEEF == urgent_stream(lambda _name: runtime)
    assert [(1, -5)] == runtime.asked


def test_without_a_runtime_or_a_card_there_is_none() -> None:
    assert urgent_stream(absent) is None
    assert urgent_stream(lambda _name: Runtime(failure=100)) is None
