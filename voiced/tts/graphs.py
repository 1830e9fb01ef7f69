"""The three parts of a split Piper voice as ONNX Runtime sessions; the only user of them here.

On a GPU the encoder stays on the CPU: its hundreds of small steps cost more to hand over than to
compute, and its shapes differ from sentence to sentence. Flow and decoder run on the card. It does
not know text, windows or rates.
"""

import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from voiced.config.settings import Device, Tts
from voiced.errors import UnavailableError
from voiced.gpu.stream import urgent_stream
from voiced.tts.split import (
    DECODER,
    DURATIONS,
    ENCODER,
    FLOW,
    MASK,
    MEAN,
    PACE,
    RHYTHM,
    SPEAKER,
    SPREAD,
)
from voiced.tts.traits import Manner
from voiced.tts.windows import Floats, Latent

ARENA_BYTES = 1 << 30
"""Most that one session may take of the card; the memory plan counts on it."""

SESSIONS = {"piper": 2, "kokoro": 1}
"""How many of a voice's sessions lie on the card, by family."""

_RHYTHMS = 2
"""Rows of noise of which VITS draws the lengths of phonemes."""

_PROBED_FRAMES = 97
_WIDEST_FRAMES = 40


class Graphs:
    """Encoder, flow and decoder; called on one thread at a time."""

    def __init__(self, directory: Path, settings: Tts, *, speaker: int = 0) -> None:
        """`directory` holds the three parts; `speaker` counts from 0, for a voice with several.

        Raises UnavailableError.
        """
        threads, device = settings.threads, settings.device
        self.fixed = device == "cuda"
        """Windows must have few fixed sizes: each new one costs a search for kernels."""
        self._encoder = session(directory / ENCODER, threads, "cpu")
        self._encoded = [made.name for made in self._encoder.get_outputs()]
        self._flow = session(directory / FLOW, threads, device)
        self._decoder = session(directory / DECODER, threads, device)
        takes = {given.name for given in self._encoder.get_inputs()}
        self._several = "sid" in takes
        self._paced = PACE in takes
        self._rhythmic = RHYTHM in takes
        self._speaker = speaker
        self.decoder_context, self.hop = self._probe()

    def encode(self, numbers: Sequence[int], manner: Manner, pace: Sequence[float] = ()) -> Latent:
        """A piece's latent; its rhythm and sound are drawn here, by the piece itself: it is said
        in the same way each time, whatever was said before.

        `pace`: how much longer than it would be each number is; empty: none is.
        """
        piece = np.array([numbers], np.int64)
        chance = np.random.default_rng(zlib.crc32(piece.tobytes()))
        given: dict[str, Any] = {
            "input": piece,
            "input_lengths": np.array([len(numbers)], np.int64),
            "scales": np.array(
                [manner.noise_scale, manner.length_scale, manner.noise_w], np.float32
            ),
        }
        if self._several:
            given["sid"] = np.array([self._speaker], np.int64)
        if self._paced:
            lengths = np.array(pace or [1.0] * len(numbers), np.float32) * manner.length_scale
            given[PACE] = lengths.reshape(1, 1, -1)
        if self._rhythmic:
            given[RHYTHM] = chance.standard_normal((1, _RHYTHMS, len(numbers)), np.float32)
        made = dict(zip(self._encoded, self._encoder.run(None, given), strict=True))
        durations = made.get(DURATIONS)
        drawn: Floats = chance.standard_normal(made[MEAN].shape, np.float32)
        return Latent(
            made[MEAN] + drawn * made[SPREAD],
            made[MASK],
            made.get(SPEAKER),
            None if durations is None else durations.reshape(-1),
        )

    def flow(self, z_p: Floats, mask: Floats, speaker: Floats | None) -> Floats:
        z: Floats = self._flow.run(None, _given(self._flow, z_p=z_p, mask=mask, speaker=speaker))[0]
        return z

    def decode(self, z: Floats, speaker: Floats | None) -> Floats:
        """Samples in -1..1, shape [frames * hop]."""
        samples: Floats = self._decoder.run(None, _given(self._decoder, z=z, speaker=speaker))[0]
        return samples.reshape(-1)

    def _probe(self) -> tuple[int, int]:
        """How far one frame of z reaches to each side in the samples, and samples in a frame."""
        some = self.encode([0, 0, 0], Manner(noise_scale=0.0, length_scale=1.0, noise_w=0.0))
        shape = (1, some.z_p.shape[1], _PROBED_FRAMES)
        z = np.random.default_rng(0).normal(size=shape).astype(np.float32)
        before = self.decode(z, some.speaker)
        middle = _PROBED_FRAMES // 2
        z[:, :, middle] += 1.0
        change = np.abs(self.decode(z, some.speaker) - before)
        hop = len(change) // _PROBED_FRAMES
        touched = np.flatnonzero(change.reshape(_PROBED_FRAMES, hop).max(1) > change.max() * 1e-5)
        reach = int(np.abs(touched - middle).max())
        if reach > _WIDEST_FRAMES:
            raise UnavailableError(
                f"decoder: a frame reaches {reach} frames far, so speech cannot be streamed: "
                "use a voice of Piper's kind"
            )
        return reach, hop


def session(path: Path, threads: int, device: Device) -> Any:
    """A session that sleeps between runs, on the device that was asked for and no other.

    Raises UnavailableError when the file is missing or no model, or when the library would have
    fallen back to the CPU in silence.
    """
    import onnxruntime

    if not path.is_file():
        raise UnavailableError(f"{path}: there is no such file: voiced models pull")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    if providers(device)[0][0] not in onnxruntime.get_available_providers():
        raise _elsewhere(path, "CPUExecutionProvider", device)
    stream = urgent_stream() if device == "cuda" else None
    try:
        made = onnxruntime.InferenceSession(str(path), options, providers=providers(device, stream))
    except Exception as error:  # noqa: BLE001 - the library raises its own kinds for a bad file
        raise UnavailableError(f"{path}: cannot be loaded ({type(error).__name__})") from None
    return on_device(made, device, path)


def providers(device: Device, stream: int | None = None) -> list[tuple[str, Mapping[str, object]]]:
    """Who runs the nodes, best first; on a card in the stream of that address, if any."""
    cpu: tuple[str, Mapping[str, object]] = ("CPUExecutionProvider", {})
    if device == "cpu":
        return [cpu]
    card: dict[str, object] = {
        "cudnn_conv_algo_search": "HEURISTIC",  # EXHAUSTIVE searches for seconds at each new shape
        "gpu_mem_limit": ARENA_BYTES,
        "arena_extend_strategy": "kSameAsRequested",
    }
    if stream is not None:
        card["user_compute_stream"] = str(stream)
    return [("CUDAExecutionProvider", card), cpu]


def on_device(made: Any, device: Device, path: Path) -> Any:
    """The session, when it is where it should be. Raises UnavailableError when it is not."""
    leading = made.get_providers()[0]
    if leading != providers(device)[0][0]:
        raise _elsewhere(path, leading, device)
    return made


def _elsewhere(path: Path, leading: str, device: Device) -> UnavailableError:
    return UnavailableError(
        f"{path.name}: onnxruntime runs it with {leading}, not on {device}: install "
        "onnxruntime-gpu alone (never beside onnxruntime) with CUDA 12 and cuDNN 9, "
        "or write device = 'cpu' under [tts]"
    )


def _given(model: Any, **tensors: Floats | None) -> dict[str, Floats]:
    """Those of the tensors that the part takes: one with a single speaker takes no speaker."""
    names = {given.name for given in model.get_inputs()}
    return {name: value for name, value in tensors.items() if name in names and value is not None}
