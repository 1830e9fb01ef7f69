"""What a card says of itself is in the metrics; no card, or a driver that fails, is no fault."""

from types import SimpleNamespace

import pytest

from voiced.ops.card_metrics import CardMetrics

pytestmark = pytest.mark.unit


class Driver:
    """NVML as it answers, until its second card falls off the bus."""

    def __init__(self, cards: int = 1, lost: int | None = None) -> None:
        self._cards, self._lost = cards, lost

    def nvmlDeviceGetCount(self) -> int:
        return self._cards

    def nvmlDeviceGetHandleByIndex(self, number: int) -> int:
        if number == self._lost:
            raise RuntimeError("GPU is lost")
        return number

    def nvmlDeviceGetMemoryInfo(self, _card: int) -> SimpleNamespace:
        return SimpleNamespace(used=3_000, free=5_000)

    def nvmlDeviceGetTemperature(self, _card: int, _sensor: int) -> int:
        return 61

    def nvmlDeviceGetUtilizationRates(self, _card: int) -> SimpleNamespace:
        return SimpleNamespace(gpu=25)


def said(card: CardMetrics) -> dict[tuple[str, ...], float]:
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in card.collect()
        for sample in family.samples
    }


def test_a_card_says_its_memory_heat_and_work() -> None:
    assert {
        ("voiced_device_memory_bytes", "0", "used"): 3_000,
        ("voiced_device_memory_bytes", "0", "free"): 5_000,
        ("voiced_device_celsius", "0"): 61,
        ("voiced_device_busy_ratio", "0"): 0.25,
    } == said(CardMetrics(Driver()))


def test_a_card_that_is_lost_takes_no_other_with_it() -> None:
    assert {"0"} == {labels[0] for _, *labels in said(CardMetrics(Driver(cards=2, lost=1)))}


def test_a_machine_without_a_card_says_nothing() -> None:
    assert {} == said(CardMetrics())
