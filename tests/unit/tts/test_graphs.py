"""Where the parts run: on the device that was asked for, or not at all."""

from pathlib import Path

import pytest

from voiced.errors import UnavailableError
from voiced.tts.graphs import on_device, providers, session

pytestmark = pytest.mark.unit


class Session:
    """As much of a session as the check looks at."""

    def __init__(self, *names: str) -> None:
        self._names = list(names)

    def get_providers(self) -> list[str]:
        return self._names


def test_a_silent_fall_back_to_the_cpu_is_refused() -> None:
    """onnxruntime warns and goes on where its CUDA libraries are missing."""
    with pytest.raises(UnavailableError, match="onnxruntime-gpu"):
        on_device(Session("CPUExecutionProvider"), "cuda", Path("flow.onnx"))


def test_a_session_on_the_card_is_taken() -> None:
    made = Session("CUDAExecutionProvider", "CPUExecutionProvider")

    assert made is on_device(made, "cuda", Path("flow.onnx"))


def test_the_card_is_asked_for_a_quick_search_and_bounded_memory() -> None:
    name, options = providers("cuda")[0]

    assert "CUDAExecutionProvider" == name
    assert "HEURISTIC" == options["cudnn_conv_algo_search"]
    assert "kSameAsRequested" == options["arena_extend_strategy"]
    assert [("CPUExecutionProvider", {})] == providers("cpu")


def test_a_missing_part_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match="voiced models pull"):
        session(tmp_path / "flow.onnx", 1, "cpu")


def test_on_a_card_a_voice_has_a_stream_of_its_own() -> None:
    assert "48879" == providers("cuda", 0xBEEF)[0][1]["user_compute_stream"]
    assert "user_compute_stream" not in providers("cuda")[0][1]
