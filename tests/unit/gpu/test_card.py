"""The card as its driver tells of it: each way to have none says what to do; loss is seen."""

import pytest

from voiced.errors import UnavailableError
from voiced.gpu.card import Vigil, find
from voiced.testing.nvml import LOST, MISMATCH, NO_DRIVER, FakeNvml

pytestmark = pytest.mark.unit


def test_a_card_is_found_with_its_free_memory() -> None:
    card = find(FakeNvml())

    assert ("Fake L4", 24_000, 23_500) == (card.name, card.total_mb, card.free_mb)


@pytest.mark.parametrize(
    ("code", "advice"),
    [
        (NO_DRIVER, "modprobe"),
        (MISMATCH, "reboot"),
        (12, "install the driver"),
        (777, "nvidia-smi"),
    ],
)
def test_a_driver_that_does_not_answer_is_told_with_what_to_do(code: int, advice: str) -> None:
    nvml = FakeNvml()
    nvml.start = code

    with pytest.raises(UnavailableError, match=advice):
        find(nvml)


@pytest.mark.parametrize("visible", [None, "0", "0,1", "GPU-0"])
def test_the_card_is_the_one_that_cuda_would_use(visible: str | None) -> None:
    assert "GPU-0" == find(FakeNvml(), visible).uuid


def test_a_slice_has_its_own_memory() -> None:
    assert 8_000 == find(FakeNvml(slices=3), "MIG-1").total_mb


@pytest.mark.parametrize(
    ("visible", "why"),
    [("MIG-7", "no such card or slice"), ("", "no card is visible"), ("GPU-9", "nvidia-smi -L")],
)
def test_a_card_that_is_not_there_is_named(visible: str, why: str) -> None:
    with pytest.raises(UnavailableError, match=why):
        find(FakeNvml(slices=3), visible)


def test_of_a_card_that_is_cut_a_slice_must_be_named() -> None:
    with pytest.raises(UnavailableError, match="CUDA_VISIBLE_DEVICES=MIG-"):
        find(FakeNvml(slices=3))


def test_what_a_card_does_not_support_is_passed_over() -> None:
    nvml = FakeNvml()
    nvml.unsupported = {"mig", "fields", "events"}

    assert "GPU-0" == find(nvml).uuid
    assert Vigil(nvml).look() is None


def test_a_card_that_is_well_is_not_lost() -> None:
    assert Vigil(FakeNvml()).look() is None


@pytest.mark.parametrize("xid", [48, 79, 95, 119, 154, 0])
def test_an_error_of_the_card_is_its_loss(xid: int) -> None:
    """0: the stub's event of memory that failed twice, which has no number."""
    nvml = FakeNvml()
    vigil = Vigil(nvml)
    nvml.xids.append(xid)

    assert f"Xid {xid or 48}" == vigil.look()


@pytest.mark.parametrize("xid", [13, 31, 43, 45, 63])
def test_an_error_of_somebody_s_program_is_not(xid: int) -> None:
    """Where it was ours, the engine's own next call says so."""
    nvml = FakeNvml()
    vigil = Vigil(nvml)
    nvml.xids.append(xid)

    assert vigil.look() is None


def test_a_card_that_fell_off_the_bus_is_lost() -> None:
    nvml = FakeNvml()
    nvml.unsupported = {"events"}
    vigil = Vigil(nvml)
    nvml.broken = LOST

    assert "it has fallen off the bus" == vigil.look()


def test_a_card_that_asks_to_be_reset_is_lost() -> None:
    nvml = FakeNvml()
    vigil = Vigil(nvml)
    nvml.recovery = 1

    assert "it asks for recovery action 1" == vigil.look()


def test_a_slice_hears_of_its_card() -> None:
    nvml = FakeNvml(slices=2)
    vigil = Vigil(nvml, "MIG-1")
    nvml.xids.append(79)

    assert "Xid 79" == vigil.look()


def test_a_driver_that_has_a_bad_moment_is_not_a_lost_card() -> None:
    nvml = FakeNvml()
    vigil = Vigil(nvml)
    nvml.broken = 999

    assert vigil.look() is None
