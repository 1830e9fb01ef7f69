"""What we ask of NVML: its names and codes are those that the code and its stand-in have."""

import inspect

import pynvml
import pytest

from voiced.errors import UnavailableError
from voiced.gpu import card
from voiced.testing.nvml import FakeNvml

pytestmark = pytest.mark.unit

CALLS = sorted(name for name in vars(card.Nvml) if name.startswith("nvml"))


@pytest.mark.parametrize("name", CALLS)
def test_each_call_is_there_and_takes_what_we_give(name: str) -> None:
    real = inspect.signature(getattr(pynvml, name))
    given = list(inspect.signature(getattr(FakeNvml, name)).parameters.values())[1:]

    real.bind(*given)


def test_the_codes_are_the_library_s() -> None:
    assert (
        pynvml.NVML_ERROR_NOT_SUPPORTED,
        pynvml.NVML_ERROR_NO_PERMISSION,
        pynvml.NVML_ERROR_NOT_FOUND,
        pynvml.NVML_ERROR_DRIVER_NOT_LOADED,
        pynvml.NVML_ERROR_TIMEOUT,
        pynvml.NVML_ERROR_LIBRARY_NOT_FOUND,
        pynvml.NVML_ERROR_GPU_IS_LOST,
        pynvml.NVML_ERROR_RESET_REQUIRED,
        pynvml.NVML_ERROR_LIB_RM_VERSION_MISMATCH,
    ) == (3, 4, 6, 9, 10, 12, 15, 16, 18)
    assert 8 == pynvml.nvmlEventTypeXidCriticalError
    assert 2 == pynvml.nvmlEventTypeDoubleBitEccError
    assert 230 == pynvml.NVML_FI_DEV_GET_GPU_RECOVERY_ACTION


def test_a_machine_without_a_driver_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """The real binding; where there is a driver, it is taken for absent."""

    def absent() -> None:
        raise pynvml.NVMLError(pynvml.NVML_ERROR_LIBRARY_NOT_FOUND)

    monkeypatch.setattr(pynvml, "nvmlInit", absent)

    with pytest.raises(UnavailableError, match="install the driver"):
        card.find(card.library())
