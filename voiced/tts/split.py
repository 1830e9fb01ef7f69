"""Cuts a Piper voice's one graph into three, so that speech can begin before it is all computed.

    encoder   phonemes, rhythm, pace -> mean, spread, mask, durations (, the speaker's vector)
    flow      z_p, mask (, speaker) -> z      local in time: runs over windows
    decoder   z (, speaker) -> samples        local in time: runs over windows

The graph draws its chance itself, with no seed that anybody could give. The parts draw nothing:
`rhythm` is an input, and z_p is the mean with some of the spread, which whoever runs them draws.
`pace` has the length of each phoneme in the place of one for all.

Runs once, when a model is pulled; nothing else needs the `onnx` package. It does not know where the
graph is cut (`borders`), nor how the parts are run.
"""

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from voiced.catalog.store import Store
from voiced.errors import ConfigError
from voiced.tts.borders import Graph, Lengths, unfit

if TYPE_CHECKING:
    from onnx import ModelProto

ENCODER = "encoder.onnx"
FLOW = "flow.onnx"
DECODER = "decoder.onnx"

RHYTHM = "rhythm"
PACE = "pace"
MEAN = "mean"
SPREAD = "spread"
Z_P = "z_p"
MASK = "mask"
SPEAKER = "speaker"
DURATIONS = "durations"
Z = "z"
SAMPLES = "samples"
"""What the tensors at the borders are called in the parts, whatever the export called them."""

RECIPE = "parts-3"
"""Name of what `split` makes; another when it makes something else."""


def parts_of(store: Store, name: str) -> Path:
    """The folder of a voice's three parts, made from its ONNX file the first time.

    Raises ConfigError, UnavailableError and Damaged.
    """
    sources = [file.name for file in store.model(name).files if file.name.endswith(".onnx")]
    if len(sources) != 1:
        raise ConfigError(f"catalog.toml: model {name!r}: files: write one that ends in .onnx")
    source = store.path_of(name, sources[0])
    return store.derived(name, RECIPE, lambda directory: split(source, directory))


def split(source: Path, directory: Path) -> None:
    """Writes ENCODER, FLOW and DECODER of the voice in `source` into `directory`, or none of them.

    Takes some seconds and about four times the file's size in memory. Raises UnavailableError when
    `source` is not a graph of Piper's kind.
    """
    import onnx

    try:
        model = onnx.shape_inference.infer_shapes(onnx.load(str(source)))
    except Exception as error:  # noqa: BLE001 - a file that is no ONNX fails in the parser's own ways
        raise unfit(source, f"not an ONNX file ({type(error).__name__})") from None
    borders = Graph(model, source).borders()
    speaker = {borders.speaker: SPEAKER} if borders.speaker else {}
    latent = {borders.z_p: Z_P, borders.mask: MASK, **speaker}
    drawn = {borders.noise.mean: MEAN, borders.noise.spread: SPREAD, borders.mask: MASK, **speaker}
    durations = {borders.durations: DURATIONS} if borders.durations else {}
    rhythm = {borders.rhythm: RHYTHM} if borders.rhythm else {}
    constants = {tensor.name for tensor in model.graph.initializer}
    given = [value.name for value in model.graph.input if value.name not in constants]
    parts = {
        FLOW: _part(model, latent, {borders.z: Z}),
        DECODER: _part(model, {borders.z: Z, **speaker}, {borders.samples: SAMPLES}),
    }
    _spread_alone(model, borders.noise.source)
    own = {name: name for name in given} | rhythm | _paced(model, borders.lengths)
    parts[ENCODER] = _part(model, own, drawn | durations)
    _write(parts, directory)


def _spread_alone(model: "ModelProto", source: str) -> None:
    """Puts ones in the place of noise, so that what is made of it is how far it spreads."""
    from onnx import helper

    nodes = model.graph.node
    index = next(index for index, node in enumerate(nodes) if source in node.output)
    shape = f"{source}.shape"
    ones = helper.make_tensor("one", 1, [1], [1.0])  # 1: of float32
    made = helper.make_node("ConstantOfShape", [shape], [source], value=ones)
    nodes.insert(index, helper.make_node("Shape", nodes[index].input, [shape]))
    nodes[index + 1].CopyFrom(made)


def _paced(model: "ModelProto", lengths: Lengths | None) -> dict[str, str]:
    """Gives each phoneme a scale of its own, and says how the encoder takes it."""
    from onnx import helper

    if lengths is None:
        return {}
    product = next(node for node in model.graph.node if lengths.product in node.output)
    product.input[:] = [PACE if name == lengths.scale else name for name in product.input]
    model.graph.input.append(helper.make_tensor_value_info(PACE, 1, [1, 1, "phonemes"]))
    return {PACE: PACE}


def _part(model: "ModelProto", inputs: dict[str, str], outputs: dict[str, str]) -> "ModelProto":
    """The nodes between two borders, as a model of their own, its borders renamed."""
    from onnx.utils import Extractor

    part = Extractor(model).extract_model(list(inputs), list(outputs))
    names = {**inputs, **outputs}
    for node in part.graph.node:
        node.input[:] = [names.get(name, name) for name in node.input]
        node.output[:] = [names.get(name, name) for name in node.output]
    for value in (*part.graph.input, *part.graph.output):
        value.name = names[value.name]
    return part


def _write(parts: "dict[str, ModelProto]", directory: Path) -> None:
    """Each part under a passing name first: what has its final name is whole."""
    directory.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=directory, prefix=".split-") as passing:
        for name, part in parts.items():
            with (Path(passing) / name).open("wb") as file:
                file.write(part.SerializeToString())
                file.flush()
                os.fsync(file.fileno())
        for name in parts:
            (Path(passing) / name).replace(directory / name)
