"""A side of `voiced bench llm` in a process of its own.

All that computes with OpenMP in one process shares its runtime, and that stops letting threads
wait awake once it has more of them than there are cores: sides in one process would slow each
other down even while they rest. It does not know which side it is.
"""

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

from voiced.bench.llm_sides import Prompts, Side

_side: Side
"""The one side of such a process."""


class Apart:
    """See `llm_sides.Side`."""

    def __init__(self, make: Callable[..., Side], *settings: Any) -> None:
        """`make` is called in the process, and raises here what it raises there."""
        self._process = ProcessPoolExecutor(1, get_context("spawn"))
        try:
            self._process.submit(_make, make, settings).result()
        except Exception:
            self._process.shutdown()
            raise

    def ttft_ms(self, before: Prompts, prompts: Prompts) -> float:
        return self._process.submit(_ttft_ms, before, prompts).result()

    def rate(self, prompts: Prompts, *, together: bool) -> float:
        return self._process.submit(_rate, prompts, together).result()

    def close(self) -> None:
        self._process.submit(_close).result()
        self._process.shutdown()


def _make(make: Callable[..., Side], settings: tuple[Any, ...]) -> None:
    global _side
    _side = make(*settings)


def _ttft_ms(before: Prompts, prompts: Prompts) -> float:
    return _side.ttft_ms(before, prompts)


def _rate(prompts: Prompts, together: bool) -> float:
    return _side.rate(prompts, together=together)


def _close() -> None:
    _side.close()
