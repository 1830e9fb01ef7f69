"""Cuts a Piper voice's one graph into three, so that speech can begin before it is all computed.

    encoder   phonemes -> z_p, mask, durations (and, with several speakers, the speaker's vector)
    flow      z_p, mask (, speaker) -> z      local in time: runs over windows
    decoder   z (, speaker) -> samples        local in time: runs over windows

The borders are found by structure, since names differ from export to export: z enters the
convolution in front of the first transposed one; z_p is where the second noise is added; durations
are rounded up to whole frames once. Runs once, when a model is pulled; nothing else needs the
`onnx` package. It does not know how the parts are run.
"""

import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from voiced.catalog.store import Store
from voiced.errors import ConfigError, UnavailableError

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto

ENCODER = "encoder.onnx"
FLOW = "flow.onnx"
DECODER = "decoder.onnx"

Z_P = "z_p"
MASK = "mask"
SPEAKER = "speaker"
DURATIONS = "durations"
Z = "z"
SAMPLES = "samples"
"""What the tensors at the borders are called in the parts, whatever the export called them."""

RECIPE = "parts-2"
"""Name of what `split` makes; another when it makes something else."""

_INPUTS = {"input", "input_lengths", "scales"}
_SPEAKER_INPUT = "sid"


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
        raise _unfit(source, f"not an ONNX file ({type(error).__name__})") from None
    borders = _Graph(model, source).borders()
    speaker = {borders.speaker: SPEAKER} if borders.speaker else {}
    latent = {borders.z_p: Z_P, borders.mask: MASK, **speaker}
    durations = {borders.durations: DURATIONS} if borders.durations else {}
    constants = {tensor.name for tensor in model.graph.initializer}
    given = [value.name for value in model.graph.input if value.name not in constants]
    parts = {
        ENCODER: _part(model, {name: name for name in given}, latent | durations),
        FLOW: _part(model, latent, {borders.z: Z}),
        DECODER: _part(model, {borders.z: Z, **speaker}, {borders.samples: SAMPLES}),
    }
    _write(parts, directory)


@dataclass(frozen=True, slots=True)
class _Borders:
    """Names of the tensors where the graph is cut."""

    z_p: str
    mask: str
    z: str
    samples: str
    speaker: str | None
    durations: str | None
    """Frames of each phoneme; none where the graph does not round them."""


class _Graph:
    """The graph as the search sees it: who makes a tensor, who takes it."""

    def __init__(self, model: "ModelProto", source: Path) -> None:
        graph = model.graph
        self._source = source
        self._nodes = list(graph.node)
        self._constant = {tensor.name for tensor in graph.initializer}
        self._inputs = {value.name for value in graph.input} - self._constant
        self._outputs = [value.name for value in graph.output]
        self._maker = {name: node for node in self._nodes for name in node.output}
        self._takers: dict[str, list[NodeProto]] = {}
        for node in self._nodes:
            for name in node.input:
                self._takers.setdefault(name, []).append(node)

    def borders(self) -> _Borders:
        """Raises UnavailableError when one of them is not there, or a part would need more."""
        if not self._inputs >= _INPUTS or self._inputs - _INPUTS - {_SPEAKER_INPUT}:
            raise self._lacks(f"inputs {sorted(_INPUTS)} and at most {_SPEAKER_INPUT}")
        if len(self._outputs) != 1:
            raise self._lacks("one output")
        speaker = self._speaker()
        z = self._decoder_input()
        z_p, mask = self._flow_inputs(z)
        borders = _Borders(z_p, mask, z, self._outputs[0], speaker, self._durations(z_p, mask))
        side = {speaker} if speaker else set()
        self._closed(z, {z_p, mask} | side, "flow")
        self._closed(borders.samples, {z} | side, "decoder")
        return borders

    def _speaker(self) -> str | None:
        """The speaker's vector: the end of the single chain behind the speaker's number."""
        if _SPEAKER_INPUT not in self._inputs:
            return None
        name = _SPEAKER_INPUT
        while len(takers := self._takers.get(name, [])) == 1:
            name = takers[0].output[0]
        return name

    def _durations(self, z_p: str, mask: str) -> str | None:
        """What is rounded up to whole frames before the latent is made that long."""
        above = self._upstream(z_p, set()) | self._upstream(mask, set())
        whole = [n.output[0] for n in self._nodes if n.op_type == "Ceil" and n.output[0] in above]
        return whole[0] if len(whole) == 1 else None

    def _decoder_input(self) -> str:
        """z: what the convolution in front of the first transposed one takes."""
        upsampling = next((n for n in self._nodes if n.op_type == "ConvTranspose"), None)
        if upsampling is None:
            raise self._lacks("a transposed convolution")
        for node in self._behind(upsampling.input[0], {"LeakyRelu", "Add"}):
            if node.op_type == "Conv" and self._width(node) > 1:  # one of width 1 adds the speaker
                return str(node.input[0])
        raise self._lacks("a convolution in front of the first transposed one")

    def _flow_inputs(self, z: str) -> tuple[str, str]:
        """z_p: noise, scaled by products, is added there; the mask: what z was multiplied by."""
        product = self._maker.get(z)
        if product is None or product.op_type != "Mul":
            raise self._lacks("a masked latent in front of the decoder")
        latents = [name for name in self._noisy_sums() if name in self._upstream(z, set())]
        if len(latents) != 1:
            raise self._lacks("one place where noise is added to the latent")
        z_p = latents[0]
        masks = [name for name in product.input if z_p not in self._upstream(name, set())]
        if len(masks) != 1:
            raise self._lacks("a mask on the latent")
        return z_p, masks[0]

    def _noisy_sums(self) -> Iterator[str]:
        for noise in self._nodes:
            name = noise.output[0] if noise.op_type == "RandomNormalLike" else ""
            while len(takers := self._takers.get(name, [])) == 1:
                name = takers[0].output[0]
                if takers[0].op_type == "Add":
                    yield name
                if takers[0].op_type != "Mul":
                    break

    def _behind(self, name: str, through: set[str]) -> "Iterator[NodeProto]":
        """Makers of a tensor, nearest first, going on behind those of the kinds in `through`."""
        names = [name]
        while names:
            node = self._maker.get(names.pop(0))
            if node is not None:
                yield node
                if node.op_type in through:
                    names.extend(node.input)

    def _upstream(self, name: str, stops: set[str]) -> set[str]:
        """Every tensor that `name` is computed from, itself included, up to `stops`."""
        seen: set[str] = set()
        names = [name]
        while names:
            name = names.pop()
            if name in seen:
                continue
            seen.add(name)
            if name not in stops and name in self._maker:
                names.extend(self._maker[name].input)
        return seen

    def _closed(self, output: str, stops: set[str], part: str) -> None:
        """The part needs its borders, constants, and nothing else."""
        for name in self._upstream(output, stops) - stops:
            node = self._maker.get(name)
            if name in self._inputs or (node is not None and node.op_type.startswith("Random")):
                raise self._lacks(f"a {part} that needs only what is before it")

    def _width(self, convolution: "NodeProto") -> int:
        for attribute in convolution.attribute:
            if attribute.name == "kernel_shape":
                return int(attribute.ints[0])
        return 0

    def _lacks(self, what: str) -> UnavailableError:
        return _unfit(self._source, f"it lacks {what}")


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


def _unfit(source: Path, why: str) -> UnavailableError:
    return UnavailableError(
        f"{source.name}: cannot be split for streaming, {why}: use a voice that Piper exported"
    )
