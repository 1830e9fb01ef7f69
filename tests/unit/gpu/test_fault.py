"""Errors after which a process has no card any more, told from work that merely failed."""

import pytest

from voiced.gpu.fault import sticky

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    "message",
    [
        "CUDA failure 700: an illegal memory access was encountered ; GPU=0 ; hostname=x",
        "CUDA failed with error unspecified launch failure",
        "cuBLAS failed with status CUBLAS_STATUS_EXECUTION_FAILED",
        "CUDA failure 214: uncorrectable ECC error encountered",
        "CUDA failed with error no CUDA-capable device is detected",
        "CUDA error: device-side assert triggered",
    ],
)
def test_what_every_later_call_would_say_too_is_sticky(message: str) -> None:
    assert sticky(RuntimeError(message)) is not None


@pytest.mark.parametrize(
    "message",
    [
        "CUDA failed with error out of memory",
        "Failed to allocate memory for requested buffer of size 4294967296",
        "CUBLAS_STATUS_ALLOC_FAILED",
        "input has 0 frames",
        "",
    ],
)
def test_memory_that_ran_out_costs_a_turn_and_no_more(message: str) -> None:
    assert sticky(RuntimeError(message)) is None


def test_nothing_of_the_message_is_kept() -> None:
    kept = sticky(RuntimeError("Mrs Okafor: an illegal memory access was encountered"))

    assert "an illegal access" == kept
