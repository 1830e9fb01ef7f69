"""Kokoro's graph tells its phonemes' lengths, and a graph of another kind is refused."""

from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from voiced.errors import UnavailableError
from voiced.tts.kokoro_graph import tell_durations

pytestmark = pytest.mark.unit


def toy(rounding: str = "Round") -> bytes:
    """Lengths are rounded, kept above none, and summed."""
    graph = helper.make_graph(
        [
            helper.make_node(rounding, ["x"], ["rounded"]),
            helper.make_node("Max", ["rounded", "one"], ["lengths"]),
            helper.make_node("ReduceSum", ["lengths"], ["audio"]),
        ],
        "toy",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n"])],
        [helper.make_tensor_value_info("audio", TensorProto.FLOAT, [1])],
        [numpy_helper.from_array(np.ones(1, np.float32), "one")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)], ir_version=8)
    made: bytes = model.SerializeToString()
    return made


def test_lengths_come_out_as_the_graph_uses_them(tmp_path: Path) -> None:
    (tmp_path / "k.onnx").write_bytes(toy())
    tell_durations(tmp_path / "k.onnx", tmp_path / "told.onnx")
    found = ReferenceEvaluator(str(tmp_path / "told.onnx"))
    audio, durations = found.run(["audio", "durations"], {"x": np.array([0.2, 1.6], np.float32)})

    assert [1.0, 2.0] == durations.tolist()
    assert 3.0 == float(audio.sum())


@pytest.mark.parametrize("content", [toy("Ceil"), b"RIFF....WAVE"], ids=["no rounding", "no graph"])
def test_another_graph_is_refused_and_nothing_is_written(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "k.onnx").write_bytes(content)
    with pytest.raises(UnavailableError, match=r"k\.onnx"):
        tell_durations(tmp_path / "k.onnx", tmp_path / "told.onnx")

    assert not (tmp_path / "told.onnx").exists()
