"""A stand-in for NVIDIA's management library: a card that misbehaves as real ones do.

Names and codes are pynvml's. It does not know who asks.
"""

from collections import deque
from types import SimpleNamespace
from typing import Any

NOT_SUPPORTED, NOT_FOUND, NO_DRIVER, TIMEOUT, LOST, MISMATCH = 3, 6, 9, 10, 15, 18

GB = 1_000_000_000


class NVMLError(Exception):
    """As pynvml raises it."""

    def __init__(self, value: int) -> None:
        super().__init__(f"NVML error {value}")
        self.value = value


class FakeNvml:
    """One card; `broken` answers every question from then on with an error."""

    NVMLError: Any = NVMLError

    def __init__(self, *, total_gb: float = 24, free_gb: float = 23.5, slices: int = 0) -> None:
        self.total, self.free = int(total_gb * GB), int(free_gb * GB)
        self.slices = slices
        self.start: int | None = None
        """What the very first call answers: the driver is not there, or is another."""
        self.broken: int | None = None
        self.unsupported: set[str] = set()
        self.recovery = 0
        self.xids: deque[int] = deque()

    def nvmlInit(self) -> None:
        if self.start is not None:
            raise NVMLError(self.start)

    def nvmlDeviceGetHandleByIndex(self, index: int) -> Any:
        self._ask("index")
        if index:
            raise NVMLError(NOT_FOUND)
        return "card"

    def nvmlDeviceGetHandleByUUID(self, uuid: str) -> Any:
        self._ask("uuid")
        if uuid.startswith("MIG-") and int(uuid[-1]) < self.slices:
            return uuid
        if uuid == "GPU-0":
            return "card"
        raise NVMLError(NOT_FOUND)

    def nvmlDeviceGetDeviceHandleFromMigDeviceHandle(self, handle: Any) -> Any:
        if handle == "card":
            raise NVMLError(NOT_FOUND)
        return "card"

    def nvmlDeviceGetName(self, handle: Any) -> Any:
        self._ask("name")
        return "Fake L4" if handle == "card" else "Fake L4 MIG 1g"

    def nvmlDeviceGetUUID(self, handle: Any) -> Any:
        self._ask("uuid")
        return "GPU-0" if handle == "card" else handle

    def nvmlDeviceGetMemoryInfo(self, handle: Any) -> Any:
        self._ask("memory")
        parts = 1 if handle == "card" else self.slices
        return SimpleNamespace(total=self.total // parts, free=self.free // parts)

    def nvmlDeviceGetMigMode(self, handle: Any) -> Any:
        self._ask("mig")
        return [int(self.slices > 0)] * 2

    def nvmlSystemGetDriverVersion(self) -> Any:
        return "580.1"

    def nvmlDeviceGetFieldValues(self, handle: Any, fields: list[int]) -> Any:
        self._ask("fields")
        return [SimpleNamespace(nvmlReturn=0, value=SimpleNamespace(uiVal=self.recovery))]

    def nvmlEventSetCreate(self) -> Any:
        self._ask("events")
        return object()

    def nvmlDeviceRegisterEvents(self, handle: Any, kinds: int, events: Any) -> None:
        self._ask("events")
        if handle != "card":  # real ones have no events of a slice
            raise NVMLError(NOT_SUPPORTED)

    def nvmlEventSetWait_v2(self, events: Any, timeout_ms: int) -> Any:
        if self.broken is not None:
            raise NVMLError(self.broken)
        if not self.xids:
            raise NVMLError(TIMEOUT)
        xid = self.xids.popleft()
        return SimpleNamespace(eventType=8 if xid else 2, eventData=xid)

    def _ask(self, what: str) -> None:
        if self.broken is not None:
            raise NVMLError(self.broken)
        if what in self.unsupported:
            raise NVMLError(NOT_SUPPORTED)
