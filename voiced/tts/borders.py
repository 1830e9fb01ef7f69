"""Where a Piper voice's one graph is cut.

It is found by structure, since names differ from export to export: z enters the convolution in
front of the first transposed one; z_p is where noise is added; other noise is the rhythm's;
durations are rounded up to whole frames once, and multiplied by one scale before. It does not know
what is made of it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from voiced.errors import UnavailableError

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto

_INPUTS = {"input", "input_lengths", "scales"}
_SPEAKER_INPUT = "sid"


@dataclass(frozen=True, slots=True)
class Noise:
    """mean + source * ... = total: names of the tensors."""

    source: str
    spread: str
    """What is added to the mean: the source, times whatever scales it."""
    mean: str
    total: str


@dataclass(frozen=True, slots=True)
class Lengths:
    """scale * ... = product, which is then rounded up: names of the tensors."""

    scale: str
    """One for all phonemes."""
    product: str


@dataclass(frozen=True, slots=True)
class Borders:
    """Names of the tensors where the graph is cut."""

    noise: Noise
    mask: str
    z: str
    samples: str
    speaker: str | None
    rhythm: str | None
    """Noise of which the lengths of phonemes are drawn; none where they are not."""
    durations: str | None
    """Frames of each phoneme; none where the graph does not round them."""
    lengths: Lengths | None
    """None where the graph does not round them, or has no scale for them."""

    @property
    def z_p(self) -> str:
        return self.noise.total


class Graph:
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

    def borders(self) -> Borders:
        """Raises UnavailableError when one of them is not there, or a part would need more."""
        if not self._inputs >= _INPUTS or self._inputs - _INPUTS - {_SPEAKER_INPUT}:
            raise self._lacks(f"inputs {sorted(_INPUTS)} and at most {_SPEAKER_INPUT}")
        if len(self._outputs) != 1:
            raise self._lacks("one output")
        speaker = self._speaker()
        z = self._decoder_input()
        noise, mask = self._flow_inputs(z)
        above = self._upstream(noise.total, set()) | self._upstream(mask, set())
        borders = Borders(
            noise,
            mask,
            z,
            self._outputs[0],
            speaker,
            self._rhythm(above - {noise.source}),
            durations := self._durations(above),
            self._lengths(durations),
        )
        side = {speaker} if speaker else set()
        self._closed(z, {noise.total, mask} | side, "flow")
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

    def _rhythm(self, above: set[str]) -> str | None:
        """The one other noise in the encoder."""
        drawn = [node.output[0] for node in self._nodes if node.op_type.startswith("Random")]
        others = [name for name in drawn if name in above]
        if len(others) > 1:
            raise self._lacks("an encoder that draws only its rhythm and its sound")
        return others[0] if others else None

    def _durations(self, above: set[str]) -> str | None:
        """What is rounded up to whole frames before the latent is made that long."""
        whole = [n.output[0] for n in self._nodes if n.op_type == "Ceil" and n.output[0] in above]
        return whole[0] if len(whole) == 1 else None

    def _lengths(self, durations: str | None) -> Lengths | None:
        """The scale is the factor that hangs on nothing but the scales."""
        rounded = self._maker.get(durations or "")
        product = self._maker.get(rounded.input[0]) if rounded else None
        if product is None or product.op_type != "Mul":
            return None
        fixed = self._inputs - {"scales"}
        scales = [name for name in product.input if not self._upstream(name, set()) & fixed]
        return Lengths(scales[0], product.output[0]) if len(scales) == 1 else None

    def _decoder_input(self) -> str:
        """z: what the convolution in front of the first transposed one takes."""
        upsampling = next((n for n in self._nodes if n.op_type == "ConvTranspose"), None)
        if upsampling is None:
            raise self._lacks("a transposed convolution")
        for node in self._behind(upsampling.input[0], {"LeakyRelu", "Add"}):
            if node.op_type == "Conv" and self._width(node) > 1:  # one of width 1 adds the speaker
                return str(node.input[0])
        raise self._lacks("a convolution in front of the first transposed one")

    def _flow_inputs(self, z: str) -> tuple[Noise, str]:
        """z_p: noise, scaled by products, is added there; the mask: what z was multiplied by."""
        product = self._maker.get(z)
        if product is None or product.op_type != "Mul":
            raise self._lacks("a masked latent in front of the decoder")
        latents = [noise for noise in self._noises() if noise.total in self._upstream(z, set())]
        if len(latents) != 1:
            raise self._lacks("one place where noise is added to the latent")
        noise = latents[0]
        masks = [name for name in product.input if noise.total not in self._upstream(name, set())]
        if len(masks) != 1:
            raise self._lacks("a mask on the latent")
        return noise, masks[0]

    def _noises(self) -> Iterator[Noise]:
        for node in self._nodes:
            name = node.output[0] if node.op_type == "RandomNormalLike" else ""
            while len(takers := self._takers.get(name, [])) == 1:
                taker = takers[0]
                if taker.op_type == "Add":
                    mean = next(other for other in taker.input if other != name)
                    yield Noise(node.output[0], name, mean, taker.output[0])
                if taker.op_type != "Mul":
                    break
                name = taker.output[0]

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
        return unfit(self._source, f"it lacks {what}")


def unfit(source: Path, why: str) -> UnavailableError:
    return UnavailableError(
        f"{source.name}: cannot be split for streaming, {why}: use a voice that Piper exported"
    )
