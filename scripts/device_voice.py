"""A voice's decoder of real shape with random weights, run once warm: a step of scripts/device.

    python device_voice.py FILE [--shape high] [--on cuda]

Nearly all of a VITS voice's work is its decoder (HiFi-GAN): a latent of 192 channels becomes 256
samples a frame. Prints one JSON line: milliseconds for each size of window that the daemon uses. As
the daemon runs it: ONNX Runtime, small fixed windows, no search for the best kernel. It exits 69
where that is not to be had. The sound is noise.
"""

import argparse
import json
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

try:
    import numpy as np
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper
except ImportError as error:
    print(f"not here: {error.name}")
    sys.exit(69)

CHANNELS = 192
WINDOWS = (44, 68, 116)
"""Frames: the daemon's chunks of 24, 48 and 96, each with its context."""

ROUNDS = 5
PROVIDERS = {
    "cpu": ("CPUExecutionProvider", {}),
    "cuda": (
        "CUDAExecutionProvider",
        {"cudnn_conv_algo_search": "HEURISTIC", "arena_extend_strategy": "kSameAsRequested"},
    ),
}


@dataclass(frozen=True, slots=True)
class Shape:
    """HiFi-GAN, as Piper's voices of that quality have it."""

    width: int
    rates: tuple[int, ...]
    kernels: tuple[int, ...] = (3, 7, 11)
    dilations: tuple[int, ...] = (1, 3, 5)


SHAPES = {"tiny": Shape(16, (8, 8, 4), (3,), (1,)), "high": Shape(512, (8, 8, 2, 2))}


@dataclass(slots=True)
class Graph:
    """Nodes in order, each with the name of what it gives."""

    nodes: list[onnx.NodeProto] = field(default_factory=list)
    weights: list[onnx.TensorProto] = field(default_factory=list)
    chance: np.random.Generator = field(default_factory=lambda: np.random.default_rng(1))

    def add(self, kind: str, *given: str, **more: object) -> str:
        name = f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, [*given], [name], **more))
        return name

    def weight(self, *dims: int) -> str:
        name = f"w{len(self.weights)}"
        some = self.chance.normal(0, 0.01, dims).astype(np.float32)
        self.weights.append(numpy_helper.from_array(some, name))
        return name

    def convolved(self, given: str, inputs: int, outputs: int, size: int, apart: int = 1) -> str:
        around = apart * (size - 1) // 2
        weights = self.weight(outputs, inputs, size), self.weight(outputs)
        return self.add("Conv", given, *weights, pads=[around, around], dilations=[apart])

    def widened(self, given: str, inputs: int, rate: int) -> str:
        """So many times as long, with half the channels."""
        weights = self.weight(inputs, inputs // 2, 2 * rate), self.weight(inputs // 2)
        pads = [rate // 2, rate // 2]
        return self.add("ConvTranspose", given, *weights, pads=pads, strides=[rate])

    def bent(self, given: str) -> str:
        return self.add("LeakyRelu", given, alpha=0.1)


def decoder(shape: Shape) -> onnx.ModelProto:
    graph, width = Graph(), shape.width
    at = graph.convolved("z", CHANNELS, width, 7)
    for rate in shape.rates:
        at = graph.widened(graph.bent(at), width, rate)
        width //= 2
        blocks = [_block(graph, at, width, size, shape.dilations) for size in shape.kernels]
        at = graph.add("Sum", *blocks)
    at = graph.add("Tanh", graph.convolved(graph.bent(at), width, 1, 7))
    graph.nodes[-1].output[0] = "samples"
    given = helper.make_tensor_value_info("z", TensorProto.FLOAT, [1, CHANNELS, "frames"])
    made = helper.make_tensor_value_info("samples", TensorProto.FLOAT, [1, 1, "samples"])
    whole = helper.make_graph(graph.nodes, "decoder", [given], [made], graph.weights)
    model = helper.make_model(whole, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.checker.check_model(model)
    return model


def _block(graph: Graph, given: str, width: int, size: int, dilations: tuple[int, ...]) -> str:
    for apart in dilations:
        inner = graph.convolved(graph.bent(given), width, width, size, apart)
        given = graph.add("Sum", given, graph.convolved(graph.bent(inner), width, width, size))
    return given


def measured(path: Path, device: str) -> dict[str, object]:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    providers = [PROVIDERS[each] for each in dict.fromkeys((device, "cpu"))]
    session = onnxruntime.InferenceSession(str(path), options, providers=providers)
    if session.get_providers()[0] != PROVIDERS[device][0]:
        print(f"not here: onnxruntime on {device}")
        sys.exit(69)
    told: dict[str, object] = {"provider": session.get_providers()[0]}
    for frames in WINDOWS:
        z = np.random.default_rng(2).normal(size=(1, CHANNELS, frames)).astype(np.float32)
        took = []
        for _ in range(ROUNDS + 1):  # the first one is thrown away
            began = time.perf_counter()
            (samples,) = session.run(None, {"z": z})
            took.append((time.perf_counter() - began) * 1000)
        told[f"decode_{frames}_frames_ms"] = round(min(took[1:]), 1)
        told["samples_in_a_frame"] = samples.shape[2] // frames
    return told


def main() -> None:
    parser = argparse.ArgumentParser(prog="device_voice")
    parser.add_argument("file", type=Path, help="where the model is written")
    parser.add_argument("--shape", choices=sorted(SHAPES), default="high")
    parser.add_argument("--on", choices=sorted(PROVIDERS), default="cuda")
    args = parser.parse_args()
    if PROVIDERS[args.on][0] not in onnxruntime.get_available_providers():
        print(f"not here: {PROVIDERS[args.on][0]} of onnxruntime")
        sys.exit(69)
    onnx.save(decoder(SHAPES[args.shape]), args.file)
    print(json.dumps(measured(args.file, args.on)))


main()
