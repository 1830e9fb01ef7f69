"""A voice's graph is cut where it says the same, and one of another kind is refused."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from voiced.config.settings import Tts
from voiced.errors import UnavailableError
from voiced.tts import windows
from voiced.tts.graphs import Graphs, session
from voiced.tts.split import DECODER, ENCODER, FLOW, split
from voiced.tts.traits import Manner

pytestmark = pytest.mark.unit

CHANNELS = 4
GIVEN = {
    "input": np.array([[3, 1, 4, 1, 5]], np.int64),
    "input_lengths": np.array([5], np.int64),
    "scales": np.array([0.0, 1.0, 0.0], np.float32),
}


def weight(name: str, *shape: int) -> onnx.TensorProto:
    values = np.random.default_rng(len(name) + sum(shape)).normal(size=shape)
    return numpy_helper.from_array(values.astype(np.float32), name)


def voice(*, speakers: bool, **changes: str) -> onnx.ModelProto:
    """A toy of Piper's shape: embedding, noise added, a masked flow, convolutions; odd names.

    `changes` replaces the operator of a node by another, to spoil the shape.
    """
    nodes: list[onnx.NodeProto] = []

    def add(kind: str, inputs: str, output: str, **attributes: object) -> None:
        kind = changes.get(output, kind)
        nodes.append(helper.make_node(kind, inputs.split(), [output], output, **attributes))

    add("Gather", "text_table input", "t0", axis=0)
    add("Transpose", "t0", "t1", perm=[0, 2, 1])
    add("Slice", "scales s0 s1", "t2")
    add("RandomNormalLike", "t1", "t3")
    add("Mul", "t3 t2", "t4")
    add("Add", "t1 t4", "t5")  # z_p
    add("ReduceSum", "t1 axes", "t6", keepdims=1)
    add("Equal", "t6 t6", "t7")
    add("Cast", "t7", "t8", to=TensorProto.FLOAT)  # mask
    if speakers:
        add("Gather", "voice_table sid", "g0", axis=0)
        add("Unsqueeze", "g0 minus", "g1")
        add("Conv", "g1 flow_side", "f0", kernel_shape=[1])
        add("Add", "t5 f0", "f1")
        add("Conv", "g1 decoder_side", "d0", kernel_shape=[1])
    add("Conv", f"{'f1' if speakers else 't5'} flow_weight", "f2", kernel_shape=[3], pads=[1, 1])
    add("Sub", "t5 f2", "f3")
    add("Mul", "f3 t8", "f4")  # z
    add("Conv", "f4 pre_weight", "d1", kernel_shape=[3], pads=[1, 1])
    if speakers:
        add("Add", "d0 d1", "d2")
    add("LeakyRelu", "d2" if speakers else "d1", "d3", alpha=0.1)
    add("ConvTranspose", "d3 up_weight", "d4", kernel_shape=[4], strides=[2], pads=[1, 1])
    add("Tanh", "d4", "output")
    names = ["input", "input_lengths", "scales", *(["sid"] if speakers else [])]
    shapes = {"input": [1, "n"], "input_lengths": [1], "scales": [3], "sid": [1]}
    graph = helper.make_graph(
        nodes,
        "toy",
        [
            helper.make_tensor_value_info(
                name, TensorProto.FLOAT if name == "scales" else TensorProto.INT64, shapes[name]
            )
            for name in names
        ],
        [helper.make_tensor_value_info("output", TensorProto.FLOAT, [1, 1, "samples"])],
        [
            weight("text_table", 8, CHANNELS),
            weight("voice_table", 3, CHANNELS),
            weight("flow_weight", CHANNELS, CHANNELS, 3),
            weight("flow_side", CHANNELS, CHANNELS, 1),
            weight("pre_weight", CHANNELS, CHANNELS, 3),
            weight("decoder_side", CHANNELS, CHANNELS, 1),
            weight("up_weight", CHANNELS, 1, 4),
            numpy_helper.from_array(np.array([0], np.int64), "s0"),
            numpy_helper.from_array(np.array([1], np.int64), "s1"),
            numpy_helper.from_array(np.array([1], np.int64), "axes"),
            numpy_helper.from_array(np.array([-1], np.int64), "minus"),
        ],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)], ir_version=8)


def saved(model: onnx.ModelProto, directory: Path) -> Path:
    path = directory / "voice.onnx"
    onnx.save(model, str(path))
    return path


@pytest.mark.parametrize("speakers", [False, True])
def test_the_parts_say_what_the_whole_said(tmp_path: Path, speakers: bool) -> None:
    source = saved(voice(speakers=speakers), tmp_path)
    split(source, tmp_path / "parts")
    encoder, flow, decoder = (
        ReferenceEvaluator(str(tmp_path / "parts" / name)) for name in (ENCODER, FLOW, DECODER)
    )
    given = {**GIVEN, **({"sid": np.array([2], np.int64)} if speakers else {})}
    (whole,) = ReferenceEvaluator(str(source)).run(None, given)
    latent = dict(zip(encoder.output_names, encoder.run(None, given), strict=True))
    side = {"speaker": latent["speaker"]} if speakers else {}
    (z,) = flow.run(None, {"z_p": latent["mean"], "mask": latent["mask"], **side})
    (samples,) = decoder.run(None, {"z": z, **side})

    assert np.array_equal(whole, samples)
    assert ["mean", "spread", "mask", *side] == encoder.output_names
    assert ["z", *side] == decoder.input_names
    assert (["z"], ["samples"]) == (flow.output_names, decoder.output_names)


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"d4": "Conv"}, "transposed"),
        ({"f4": "Sub"}, "masked latent"),
        ({"t5": "Sub"}, "noise"),
        ({"d1": "Identity"}, "convolution"),
    ],
)
def test_a_graph_of_another_shape_is_refused_and_nothing_is_written(
    tmp_path: Path, changes: dict[str, str], what: str
) -> None:
    source = saved(voice(speakers=False, **changes), tmp_path)
    with pytest.raises(UnavailableError, match=what):
        split(source, tmp_path / "parts")

    assert not (tmp_path / "parts").exists()


def test_a_file_that_is_no_graph_is_refused(tmp_path: Path) -> None:
    (tmp_path / "voice.onnx").write_bytes(b"RIFF....WAVE")
    with pytest.raises(UnavailableError, match=r"voice\.onnx"):
        split(tmp_path / "voice.onnx", tmp_path / "parts")


def test_a_second_split_replaces_the_first_and_leaves_nothing_else(tmp_path: Path) -> None:
    source = saved(voice(speakers=False), tmp_path)
    split(source, tmp_path / "parts")
    split(source, tmp_path / "parts")

    assert {ENCODER, FLOW, DECODER} == {path.name for path in (tmp_path / "parts").iterdir()}


@pytest.mark.parametrize("speakers", [False, True])
def test_the_parts_stream_what_the_whole_says(tmp_path: Path, speakers: bool) -> None:
    """In the real runtime, with the speaker's vector handed on: each speaker sounds different."""
    source = saved(voice(speakers=speakers), tmp_path)
    split(source, tmp_path)
    numbers = np.random.default_rng(1).integers(0, 8, 300).tolist()
    still = Manner(noise_scale=0.0, length_scale=1.0, noise_w=0.0)
    streamed = []
    for speaker in (0, 2):
        graphs = Graphs(tmp_path, Tts(), speaker=speaker)
        latent = graphs.encode(numbers, still)
        chunks = list(windows.stream(latent, graphs, graphs.decoder_context))
        given = {**GIVEN, "input": np.array([numbers], np.int64)}
        if speakers:
            given["sid"] = np.array([speaker], np.int64)
        (whole,) = session(source, 1, "cpu").run(None, given)
        streamed.append(np.concatenate(chunks))

        assert len(chunks) > 3
        assert graphs.hop == 2
        assert np.allclose(whole.reshape(-1), streamed[-1], atol=1e-6)
    assert speakers != np.array_equal(*streamed)


def test_the_lengths_of_phonemes_come_out_of_the_encoder(tmp_path: Path) -> None:
    """Found where they are rounded up to whole frames, wherever that is above the mask."""
    model = voice(speakers=False, t7="Ceil")
    del next(node for node in model.graph.node if node.name == "t7").input[1:]
    split(saved(model, tmp_path), tmp_path / "parts")
    encoder = ReferenceEvaluator(str(tmp_path / "parts" / ENCODER))
    given = {**GIVEN}
    made = dict(zip(encoder.output_names, encoder.run(None, given), strict=True))

    assert ["mean", "spread", "mask", "durations"] == encoder.output_names
    assert np.array_equal(np.ceil(made["durations"]), made["durations"])


def lively(model: onnx.ModelProto) -> onnx.ModelProto:
    """The toy with a rhythm: noise that its mask, and so its sound, hangs on."""
    nodes = model.graph.node
    at = next(index for index, node in enumerate(nodes) if node.name == "t7")
    nodes[at].CopyFrom(helper.make_node("Add", ["t6", "r1"], ["t7"], "t7"))
    nodes.insert(at, helper.make_node("ReduceSum", ["r0", "axes"], ["r1"], "r1", keepdims=1))
    nodes.insert(at, helper.make_node("RandomNormalLike", ["zeros"], ["r0"], "r0"))
    nodes.insert(at, helper.make_node("Expand", ["zero", "rows"], ["zeros"], "zeros"))
    nodes.insert(at, helper.make_node("Concat", ["one", "two", "size"], ["rows"], "rows", axis=0))
    nodes.insert(at, helper.make_node("Slice", ["wide", "s1", "s2"], ["size"], "size"))
    nodes.insert(at, helper.make_node("Shape", ["input"], ["wide"], "wide"))
    model.graph.initializer.extend(
        [
            numpy_helper.from_array(np.zeros((1, 1, 1), np.float32), "zero"),
            *(numpy_helper.from_array(np.array([n], np.int64), name) for name, n in COUNTS),
        ]
    )
    return model


COUNTS = (("one", 1), ("two", 2), ("s2", 2))


def test_the_same_piece_is_drawn_in_the_same_way_whatever_was_said_before(tmp_path: Path) -> None:
    """What was listened to is what callers hear; another piece has chance of its own."""
    split(saved(lively(voice(speakers=False)), tmp_path), tmp_path)
    chance = Manner(noise_scale=0.7, length_scale=1.0, noise_w=0.8)
    piece = [3, 1, 4, 1, 5]
    first = Graphs(tmp_path, Tts())
    once, other = first.encode(piece, chance), first.encode(piece[::-1], chance)
    again = first.encode(piece, chance), Graphs(tmp_path, Tts()).encode(piece, chance)
    still = first.encode(piece, Manner(noise_scale=0.0, length_scale=1.0, noise_w=0.0))

    assert all(np.array_equal(once.z_p, latent.z_p) for latent in again)
    assert all(np.array_equal(once.mask, latent.mask) for latent in again)
    assert not np.array_equal(once.z_p, still.z_p)
    assert not np.array_equal((once.z_p - still.z_p)[:, :, ::-1], other.z_p - still.z_p)
    assert not np.array_equal(once.mask, other.mask)


def test_an_encoder_that_draws_more_than_rhythm_and_sound_is_refused(tmp_path: Path) -> None:
    model = lively(voice(speakers=False))
    at = next(index for index, node in enumerate(model.graph.node) if node.name == "t7")
    model.graph.node[at].input[0] = "r3"
    model.graph.node.insert(at, helper.make_node("Abs", ["r2"], ["r3"], "r3"))
    model.graph.node.insert(at, helper.make_node("RandomNormalLike", ["t6"], ["r2"], "r2"))
    with pytest.raises(UnavailableError, match="rhythm"):
        split(saved(model, tmp_path), tmp_path / "parts")


def test_each_phoneme_has_a_length_of_its_own(tmp_path: Path) -> None:
    """In the place of the one scale, which multiplies them all before they are rounded up."""
    model = voice(speakers=False)
    at = next(index for index, node in enumerate(model.graph.node) if node.name == "t7")
    model.graph.node[at].CopyFrom(helper.make_node("Ceil", ["p1"], ["t7"], "t7"))
    model.graph.node.insert(at, helper.make_node("Mul", ["p0", "p2"], ["p1"], "p1"))
    model.graph.node.insert(at, helper.make_node("Slice", ["scales", "s1", "s2"], ["p2"], "p2"))
    model.graph.node.insert(at, helper.make_node("Abs", ["t6"], ["p0"], "p0"))
    model.graph.initializer.append(numpy_helper.from_array(np.array([2], np.int64), "s2"))
    split(saved(model, tmp_path), tmp_path)
    graphs = Graphs(tmp_path, Tts())
    still = Manner(noise_scale=0.0, length_scale=10.0, noise_w=0.0)
    whole = graphs.encode([3, 1, 4], still).durations
    halved = graphs.encode([3, 1, 4], still, [1.0, 0.5, 1.0]).durations
    slow = graphs.encode([3, 1, 4], replace(still, length_scale=20.0)).durations

    assert whole is not None
    assert halved is not None
    assert slow is not None
    assert [True, False, True] == (whole == halved).tolist()
    assert abs(halved[1] - whole[1] / 2) <= 1
    assert np.all(abs(slow - 2 * whole) <= 2)
