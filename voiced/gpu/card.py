"""The card that the engines use, as NVIDIA's management library (NVML) tells of it.

    find       which card, how large, how much of it is free; or why there is none, and what to do
    Vigil      what has happened to it since: broken memory, a bus that it fell off, a hung driver

NVML counts all cards of the machine; which of them CUDA uses is said by CUDA_VISIBLE_DEVICES, as a
number, a UUID, or a slice's UUID. Everything may fail, and what a card does not support is passed
over. Blocks; nothing here is called on the main loop. It does not know what the card is used for.
"""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from voiced.errors import UnavailableError

_NOT_SUPPORTED, _NO_PERMISSION, _NOT_FOUND = 3, 4, 6
_NO_DRIVER, _TIMEOUT, _NO_LIBRARY = 9, 10, 12
_LOST, _RESET_REQUIRED, _MISMATCH = 15, 16, 18
"""NVML's error codes."""

_WHY = {
    _NO_DRIVER: "the driver is not loaded: modprobe nvidia, or install the driver and reboot",
    _NO_LIBRARY: "there is no driver's library: install the driver",
    _MISMATCH: "the driver was upgraded and the old one still runs: reboot",
    _NO_PERMISSION: "this account may not: the unit's DeviceAllow, or the group of /dev/nvidia*",
    _LOST: "it has fallen off the bus: reboot; if it comes again, the card or its slot is broken",
    _RESET_REQUIRED: "it must be reset: nvidia-smi --gpu-reset while nothing uses it, or reboot",
}

_XID, _DOUBLE_BIT = 8, 2
_RECOVERY_ACTION = 230
"""A field: 0 none, else what must be done before the card is of use again."""

_RECORDED = frozenset({13, 31, 43, 45, 63, 68, 69, 92})
"""Xids of one program's work, which its own calls then tell it, and of repairs that went well."""


class Nvml(Protocol):
    """What is used of `pynvml`; each raises its NVMLError, which has a `value`."""

    NVMLError: Any

    def nvmlInit(self) -> None: ...
    def nvmlDeviceGetHandleByIndex(self, index: int) -> Any: ...
    def nvmlDeviceGetHandleByUUID(self, uuid: str) -> Any: ...
    def nvmlDeviceGetDeviceHandleFromMigDeviceHandle(self, handle: Any) -> Any: ...
    def nvmlDeviceGetName(self, handle: Any) -> Any: ...
    def nvmlDeviceGetUUID(self, handle: Any) -> Any: ...
    def nvmlDeviceGetMemoryInfo(self, handle: Any) -> Any: ...
    def nvmlDeviceGetMigMode(self, handle: Any) -> Any: ...
    def nvmlSystemGetDriverVersion(self) -> Any: ...
    def nvmlDeviceGetFieldValues(self, handle: Any, fields: list[int]) -> Any: ...
    def nvmlEventSetCreate(self) -> Any: ...
    def nvmlDeviceRegisterEvents(self, handle: Any, kinds: int, events: Any) -> None: ...
    def nvmlEventSetWait_v2(self, events: Any, timeout_ms: int) -> Any: ...


@dataclass(frozen=True, slots=True)
class Card:
    """One card, or one slice of a card."""

    name: str
    uuid: str
    driver: str
    total_mb: int
    free_mb: int
    """10^6 bytes, as all memory here."""


def library() -> Nvml:
    """NVML's Python binding. Raises UnavailableError where it is not installed."""
    try:
        import pynvml
    except ModuleNotFoundError:
        raise UnavailableError(
            "the card: the package nvidia-ml-py is not here: install requirements/gpu.txt, whole"
        ) from None
    found: Nvml = pynvml
    return found


VISIBLE = "CUDA_VISIBLE_DEVICES"


def find(nvml: Nvml, visible: str | None = None, key: str = VISIBLE) -> Card:
    """The card that CUDA would use with that value of CUDA_VISIBLE_DEVICES; `key`: where it stands.

    Raises UnavailableError.
    """
    found: Card = _asked(nvml, lambda: _card(nvml, _handle(nvml, visible, key)))
    return found


class Vigil:
    """Looks after one card. One thread."""

    def __init__(self, nvml: Nvml, visible: str | None = None) -> None:
        """Raises UnavailableError where there is no card."""
        self._nvml = nvml
        self._handle = _asked(nvml, lambda: _handle(nvml, visible))
        self._events = self._listening()

    def look(self) -> str | None:
        """Why the card is lost, or None. Takes a few milliseconds where the driver is well."""
        xid = self._xid()
        if xid is not None and xid not in _RECORDED:
            return f"Xid {xid}"
        try:
            self._nvml.nvmlDeviceGetMemoryInfo(self._handle)
        except self._nvml.NVMLError as error:
            if error.value in (_LOST, _RESET_REQUIRED, _NO_DRIVER, _NOT_FOUND):
                return _WHY.get(error.value, "it is not there any more").partition(":")[0]
        action = self._recovery()
        return f"it asks for recovery action {action}" if action else None

    def _listening(self) -> Any:
        """The set in which the card's events arrive; None where it tells of none."""
        nvml = self._nvml
        try:
            whole = self._handle
            with contextlib.suppress(nvml.NVMLError):  # no slice: it is the card itself
                whole = nvml.nvmlDeviceGetDeviceHandleFromMigDeviceHandle(self._handle)
            events = nvml.nvmlEventSetCreate()
            nvml.nvmlDeviceRegisterEvents(whole, _XID | _DOUBLE_BIT, events)
        except nvml.NVMLError:
            return None
        return events

    def _xid(self) -> int | None:
        """The next error that the driver has written down; 48 for memory that failed twice."""
        if self._events is None:
            return None
        try:
            event = self._nvml.nvmlEventSetWait_v2(self._events, 0)
        except self._nvml.NVMLError as error:
            return 79 if error.value == _LOST else None
        return int(event.eventData) if event.eventType == _XID else 48

    def _recovery(self) -> int:
        try:
            (field,) = self._nvml.nvmlDeviceGetFieldValues(self._handle, [_RECOVERY_ACTION])
        except self._nvml.NVMLError:
            return 0
        return int(field.value.uiVal) if field.nvmlReturn == 0 else 0


def _asked(nvml: Nvml, question: Callable[[], Any]) -> Any:
    try:
        nvml.nvmlInit()
        return question()
    except nvml.NVMLError as error:
        why = _WHY.get(error.value, f"the driver answers {error.value}: run nvidia-smi")
        raise UnavailableError(f"the card: {why}") from None


def _handle(nvml: Nvml, visible: str | None, key: str = VISIBLE) -> Any:
    """Of the first that is visible. Raises NVMLError, or UnavailableError."""
    first = (visible or "0").split(",")[0].strip()
    if visible is not None and not visible.strip():
        raise UnavailableError(f"{key} is empty: no card is visible: write one there")
    if first.isdigit():
        handle = nvml.nvmlDeviceGetHandleByIndex(int(first))
        _refuse_cut(nvml, handle)
        return handle
    try:
        return nvml.nvmlDeviceGetHandleByUUID(first)
    except nvml.NVMLError as error:
        if error.value != _NOT_FOUND:
            raise
        raise UnavailableError(
            f"{key} = {first}: there is no such card or slice: nvidia-smi -L"
        ) from None


def _refuse_cut(nvml: Nvml, handle: Any) -> None:
    try:
        cut = nvml.nvmlDeviceGetMigMode(handle)[0]
    except nvml.NVMLError:
        return  # a card that cannot be cut
    if cut:
        raise UnavailableError(
            "the card is cut into slices: name one: Environment=CUDA_VISIBLE_DEVICES=MIG-... as "
            "nvidia-smi -L shows it"
        )


def _card(nvml: Nvml, handle: Any) -> Card:
    memory = nvml.nvmlDeviceGetMemoryInfo(handle)
    return Card(
        str(nvml.nvmlDeviceGetName(handle)),
        str(nvml.nvmlDeviceGetUUID(handle)),
        str(nvml.nvmlSystemGetDriverVersion()),
        int(memory.total) // 1_000_000,
        int(memory.free) // 1_000_000,
    )
