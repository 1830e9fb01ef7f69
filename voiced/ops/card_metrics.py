"""What the machine's cards say of themselves, each time that the metrics are asked for.

Without a card, or its driver, there is nothing to say. It does not know what runs on them.
"""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

_CONTROL = Path("/dev/nvidiactl")
_CELSIUS = 0
"""NVML_TEMPERATURE_GPU."""


class CardMetrics(Collector):
    """Of all cards of the machine. Any thread."""

    def __init__(self, nvml: Any = None) -> None:
        """`nvml`: in the place of the driver's own library."""
        self._nvml = nvml

    def describe(self) -> list[GaugeMetricFamily]:
        """Nothing is asked of a driver while the program is being loaded."""
        return [*_families()]

    def collect(self) -> Iterator[GaugeMetricFamily]:
        memory, heat, busy = _families()
        # border: a driver may fail in any way; what it said so far counts
        with contextlib.suppress(Exception):
            nvml = self._library()
            if nvml is None:
                return
            for number in range(nvml.nvmlDeviceGetCount()):
                card = nvml.nvmlDeviceGetHandleByIndex(number)
                room = nvml.nvmlDeviceGetMemoryInfo(card)
                memory.add_metric([str(number), "used"], room.used)
                memory.add_metric([str(number), "free"], room.free)
                heat.add_metric([str(number)], nvml.nvmlDeviceGetTemperature(card, _CELSIUS))
                busy.add_metric([str(number)], nvml.nvmlDeviceGetUtilizationRates(card).gpu / 100)
        yield from (memory, heat, busy)

    def _library(self) -> Any:
        if self._nvml is None and _CONTROL.exists():
            import pynvml

            pynvml.nvmlInit()
            self._nvml = pynvml
        return self._nvml


def _families() -> tuple[GaugeMetricFamily, GaugeMetricFamily, GaugeMetricFamily]:
    return (
        GaugeMetricFamily(
            "voiced_device_memory_bytes", "Memory of a card", labels=["card", "kind"]
        ),
        GaugeMetricFamily("voiced_device_celsius", "How hot a card is", labels=["card"]),
        GaugeMetricFamily(
            "voiced_device_busy_ratio",
            "Share of the last second that a card worked",
            labels=["card"],
        ),
    )
