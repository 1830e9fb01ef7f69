"""Gives Kokoro's graph a second output: how many frames long each phoneme is.

The graph computes it and keeps it to itself; with it the voice can tell when each word is over.
Done once, when the model is pulled; nothing else of Kokoro needs the `onnx` package. It does not
know how the graph is run.
"""

from pathlib import Path

from voiced.catalog.store import Store
from voiced.errors import ConfigError, UnavailableError

DURATIONS = "durations"
_NAME = "kokoro.onnx"
_RECIPE = "durations-1"


def graph_of(store: Store, name: str) -> Path:
    """The model's graph with that output, made the first time.

    Raises ConfigError, UnavailableError and Damaged.
    """
    sources = [file.name for file in store.model(name).files if file.name.endswith(".onnx")]
    if len(sources) != 1:
        raise ConfigError(f"catalog.toml: model {name!r}: files: write one that ends in .onnx")
    source = store.path_of(name, sources[0])
    return (
        store.derived(name, _RECIPE, lambda folder: tell_durations(source, folder / _NAME)) / _NAME
    )


def tell_durations(source: Path, path: Path) -> None:
    """Writes the graph in `source` with the output DURATIONS to `path`. Raises UnavailableError.

    The lengths are rounded to whole frames once, and kept above 0 then.
    """
    import onnx

    try:
        model = onnx.load(str(source))
    except Exception as error:  # noqa: BLE001 - a file that is no ONNX fails in the parser's own ways
        raise UnavailableError(f"{source}: not an ONNX file ({type(error).__name__})") from None
    rounded = [node.output[0] for node in model.graph.node if node.op_type == "Round"]
    if len(rounded) != 1:
        raise UnavailableError(f"{source}: lacks phonemes' lengths: use Kokoro's own export")
    clipped = [
        node.output[0]
        for node in model.graph.node
        if node.op_type in ("Clip", "Max") and rounded[0] in node.input
    ]
    lengths = clipped[0] if clipped else rounded[0]
    model.graph.node.append(onnx.helper.make_node("Identity", [lengths], [DURATIONS]))
    model.graph.output.append(onnx.helper.make_empty_tensor_value_info(DURATIONS))
    onnx.save(model, str(path))
