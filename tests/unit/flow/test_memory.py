"""Memory for sound: locked, kept out of dumps, erased, and given back."""

from pathlib import Path

import numpy as np
import pytest

from voiced.flow import memory
from voiced.flow.memory import Locked
from voiced.ops import metrics

pytestmark = pytest.mark.unit

PAGES = 512 * 1024


def test_memory_is_empty_at_first_and_holds_what_is_written() -> None:
    locked = Locked(PAGES)
    empty = not locked.samples.any()
    locked.samples[:] = 7
    held = int(locked.samples.min())
    locked.close()

    assert (True, 7) == (empty, held)


def test_a_closed_memory_is_gone_from_the_process() -> None:
    before = mappings()
    locked = Locked(PAGES)
    during = mappings()
    locked.close()

    assert (before + 1, before) == (during, mappings())


def test_it_is_closed_once_however_often_it_is_asked() -> None:
    locked = Locked(16)
    locked.close()
    locked.close()

    assert 0 == len(locked.samples)


def test_what_somebody_still_looks_at_is_erased() -> None:
    """A view outlives the close: it shows zeros, and the mapping goes when the view does."""
    before = mappings()
    locked = Locked(PAGES)
    locked.samples[:] = 7
    view = locked.samples[10:20]
    locked.close()
    shown = view.tolist()
    del view
    locked.close()

    assert ([0] * 10, before) == (shown, mappings())


def test_it_is_kept_out_of_core_dumps_and_of_swap() -> None:
    """In the kernel's letters: dd is do-not-dump, lo is locked."""
    locked = Locked(PAGES)
    flags = kernel_flags()
    locked.close()

    assert {"dd", "lo"} <= flags


def test_where_memory_cannot_be_locked_it_is_used_and_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Refusing:
        def mlock(self, _address: object, _size: object) -> int:
            return -1

    monkeypatch.setattr(memory, "_libc", Refusing())
    before = unlocked()
    locked = Locked(16)
    locked.samples[:] = np.arange(16)
    locked.close()

    assert 1 == unlocked() - before


def unlocked() -> float:
    return metrics.REGISTRY.get_sample_value("voiced_rings_unlocked_total") or 0.0


def mappings() -> int:
    return Path("/proc/self/maps").read_text(encoding="utf-8").count("memfd:voiced-pcm")


def kernel_flags() -> set[str]:
    _, _, rest = Path("/proc/self/smaps").read_text(encoding="utf-8").partition("voiced-pcm")
    return set(rest.partition("VmFlags:")[2].partition("\n")[0].split())
