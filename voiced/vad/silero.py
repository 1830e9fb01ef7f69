"""Silero VAD v6 over ONNX Runtime: the probability that a window is speech, for many calls at once.

The model is recurrent and wants the 64 samples before each window too: both belong to one call and
lie in its `Memory`. Fed without them it answers near zero to clear speech, so `load` plays itself a
sentence and silence, and refuses a model that does not tell them apart.

It does not know rings, threads or turns.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnxruntime

from voiced.audio.pcm import HEARING_HZ, Pcm, to_float
from voiced.errors import ConfigError, UnavailableError
from voiced.vad import trial
from voiced.vad.hysteresis import WINDOW

Floats = npt.NDArray[np.float32]

CONTEXT = 64
"""Samples before a window that the model sees again."""

_WIDTH = 128
"""Of the recurrent state: two vectors of it for each call."""


@dataclass(slots=True)
class Memory:
    """What the model remembers of one call. Never shared, never reused for another call."""

    state: Floats = field(default_factory=lambda: np.zeros((2, _WIDTH), np.float32))
    context: Floats = field(default_factory=lambda: np.zeros(CONTEXT, np.float32))


class Silero:
    """The resident model: one thread at a time may call it."""

    def __init__(self, session: onnxruntime.InferenceSession) -> None:
        self._session = session
        self._rate = np.array(HEARING_HZ, np.int64)

    def judge(self, windows: Sequence[Pcm], memories: Sequence[Memory]) -> list[float]:
        """Probability of speech in each window, in one inference; one window and memory a call."""
        batch = np.empty((len(windows), CONTEXT + WINDOW), np.float32)
        for row, window, memory in zip(batch, windows, memories, strict=True):
            row[:CONTEXT] = memory.context
            row[CONTEXT:] = to_float(window)
        state = np.stack([memory.state for memory in memories], axis=1)
        feeds = {"input": batch, "state": state, "sr": self._rate}
        probabilities, after = self._session.run(["output", "stateN"], feeds)
        for index, memory in enumerate(memories):
            memory.state = after[:, index].copy()
            memory.context = batch[index, -CONTEXT:].copy()
        return [float(probability) for probability in probabilities[:, 0]]


def load(directory: Path, facts: Mapping[str, Any]) -> Silero:
    """The model in `directory`, tried on a sentence and on silence.

    Raises UnavailableError when it is not there or fails its trial, ConfigError when the catalogue
    says that it wants other windows than ours.
    """
    for fact, ours in (("window_samples", WINDOW), ("context_samples", CONTEXT)):
        if facts.get(fact) != ours:
            raise ConfigError(f"catalog.toml: silero-vad: {fact} = {facts.get(fact)!r}: not {ours}")
    model = Silero(_open(directory / "silero_vad_16k.onnx"))
    memory = Memory()
    trial.run(lambda window: model.judge([window], [memory])[0])
    return model


def _open(path: Path) -> onnxruntime.InferenceSession:
    if not path.is_file():
        raise UnavailableError(f"{path}: there is no such file: run `voiced models pull`")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    # A thread that spins between ticks would take a core from the media loop.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_session_config_entry("session.inter_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
