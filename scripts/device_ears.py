"""A Whisper of real shape with random weights, written and run once warm: a step of scripts/device.

    python device_ears.py FOLDER [--shape turbo] [--on cuda]

Prints one JSON line: milliseconds to encode a short and a full window, and for each token of a
reply that goes on to its limit. As the daemon runs it: CTranslate2, 16 bits on a card. Where the
program and its torch are installed too, the log-mel of a batch by torch on the card is put beside
that by numpy. It exits 69 where CTranslate2 is not to be had. The words are nobody's.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

try:
    import ctranslate2
    import numpy as np
    from ctranslate2.specs.whisper_spec import WhisperSpec
except ImportError as error:
    print(f"not here: {error.name}")
    sys.exit(69)

TOKENS = 32
ROUNDS = 5
WINDOWS_S = (10, 30)
BATCH, SPOKEN_S = 8, 8
_FRAMES_S = 100
_SPECIAL = ("<|endoftext|>", "<|startoftranscript|>", "<|en|>", "<|transcribe|>")
_SPECIAL += ("<|nospeech|>", "<|notimestamps|>")
"""The last entries of the vocabulary; where they stand in a real one costs nothing."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A Whisper of some size."""

    encoder_layers: int
    decoder_layers: int
    heads: int
    width: int
    mels: int
    vocabulary: int


SHAPES = {
    "tiny": Shape(1, 1, 2, 64, 80, 512),
    "turbo": Shape(32, 4, 20, 1280, 128, 51_866),
}


class Weights:
    """Random ones, cut from one pool: the card does not notice."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._pool = np.random.default_rng(1).normal(0, 0.02, 1 << 20).astype(kind)

    def of(self, *dims: int) -> "np.ndarray":
        return np.resize(self._pool, dims)

    def linear(self, layer: object, outputs: int, inputs: int) -> None:
        layer.weight = self.of(outputs, inputs)  # type: ignore[attr-defined]
        layer.bias = self.of(outputs)  # type: ignore[attr-defined]

    def norm(self, layer: object, width: int) -> None:
        layer.gamma = np.ones(width, self._kind)  # type: ignore[attr-defined]
        layer.beta = np.zeros(width, self._kind)  # type: ignore[attr-defined]


def write(shape: Shape, folder: Path, kind: str) -> None:
    """The model as CTranslate2 reads it, without a tokenizer."""
    width, weights = shape.width, Weights(kind)
    spec = WhisperSpec(shape.encoder_layers, shape.heads, shape.decoder_layers, shape.heads)
    spec.encoder.conv1.weight = weights.of(width, shape.mels, 3)
    spec.encoder.conv2.weight = weights.of(width, width, 3)
    spec.encoder.conv1.bias, spec.encoder.conv2.bias = weights.of(width), weights.of(width)
    spec.encoder.position_encodings.encodings = weights.of(1500, width)
    spec.decoder.position_encodings.encodings = weights.of(448, width)
    spec.decoder.embeddings.weight = weights.of(shape.vocabulary, width)
    spec.decoder.projection.weight = spec.decoder.embeddings.weight
    for side in (spec.encoder, spec.decoder):
        weights.norm(side.layer_norm, width)
        for layer in side.layer:
            _attention(weights, layer.self_attention, width, (3 * width, width))
            if side is spec.decoder:
                _attention(weights, layer.attention, width, (width, 2 * width, width))
            weights.norm(layer.ffn.layer_norm, width)
            weights.linear(layer.ffn.linear_0, 4 * width, width)
            weights.linear(layer.ffn.linear_1, width, 4 * width)
    words = [f"w{number}" for number in range(shape.vocabulary - len(_SPECIAL))]
    spec.register_vocabulary([*words, *_SPECIAL])
    folder.mkdir(parents=True)
    spec.validate()
    spec.optimize()  # weights that stand twice are written once
    spec.save(str(folder))


def _attention(weights: Weights, layer: object, width: int, outputs: tuple[int, ...]) -> None:
    weights.norm(layer.layer_norm, width)  # type: ignore[attr-defined]
    for linear, size in zip(layer.linear, outputs, strict=True):  # type: ignore[attr-defined]
        weights.linear(linear, size, width)


def measured(shape: Shape, folder: Path, device: str, kind: str) -> dict[str, object]:
    model = ctranslate2.models.Whisper(str(folder), device=device, compute_type=kind)
    prompt = [shape.vocabulary - len(_SPECIAL) + at for at in (1, 2, 3, 5)]
    told: dict[str, object] = {"device": model.device, "compute": model.compute_type}
    for seconds in WINDOWS_S:
        mel = np.zeros((1, shape.mels, seconds * _FRAMES_S), np.float32)
        sound = ctranslate2.StorageView.from_array(mel)
        # what comes back to the machine's memory has been computed
        told[f"encode_{seconds}_s_ms"] = _ms(lambda s=sound: model.encode(s, to_cpu=True))
    encoded = model.encode(sound)
    reply = model.generate(encoded, [prompt], max_length=2 * TOKENS, suppress_blank=False)
    count = max(len(reply[0].sequences_ids[0]), 1)
    ms = _ms(lambda: model.generate(encoded, [prompt], max_length=2 * TOKENS, suppress_blank=False))
    if device == "cuda":
        told |= beside_numpy(shape, model)
    return {**told, "tokens": count, "token_ms": round(ms / count, 2)}


def beside_numpy(shape: Shape, model: ctranslate2.models.Whisper) -> dict[str, object]:
    """The log-mel of a batch on the card: how long it takes, and how far it and what the encoder
    makes of it lie from what they are by numpy."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    try:
        from voiced.errors import UnavailableError
        from voiced.stt import mel
    except ImportError as error:
        return {"mel": f"left out: not here: {error.name}"}
    try:
        card, numpy = mel.on("cuda", shape.mels), mel.on("cpu", shape.mels)
    except UnavailableError as error:
        return {"mel": f"left out: {error}"}
    chance = np.random.default_rng(1)
    batch = [chance.normal(0, 1000, SPOKEN_S * 16_000).astype(np.int16) for _ in range(BATCH)]

    def encoded(ears: mel.Mel) -> "np.ndarray":
        sound = ctranslate2.StorageView.from_array(ears.of(batch, WINDOWS_S[0]))
        return np.array(model.encode(sound, to_cpu=True)).astype(np.float32)

    apart = np.abs(card.of(batch, WINDOWS_S[0]).cpu().numpy() - numpy.of(batch, WINDOWS_S[0]))
    return {
        "mel_sounds": BATCH,
        "mel_card_ms": _ms(lambda: card.of(batch, WINDOWS_S[0])),
        "mel_numpy_ms": _ms(lambda: numpy.of(batch, WINDOWS_S[0])),
        "mel_apart": float(apart.max()),
        "mel_encoded_apart": float(np.abs(encoded(card) - encoded(numpy)).max()),
    }


def _ms(work: Callable[[], object]) -> float:
    """The best of some rounds, after one that is thrown away."""
    took = []
    for _ in range(ROUNDS + 1):
        began = time.perf_counter()
        work()
        took.append((time.perf_counter() - began) * 1000)
    return round(min(took[1:]), 1)


def main() -> None:
    parser = argparse.ArgumentParser(prog="device_ears")
    parser.add_argument("folder", type=Path, help="where the model is written; is made")
    parser.add_argument("--shape", choices=sorted(SHAPES), default="turbo")
    parser.add_argument("--on", choices=("cuda", "cpu"), default="cuda")
    args = parser.parse_args()
    if args.on == "cuda" and not ctranslate2.get_cuda_device_count():
        print("not here: a card that CTranslate2 sees")
        sys.exit(69)
    shape, kind = SHAPES[args.shape], "float16" if args.on == "cuda" else "float32"
    began = time.monotonic()
    write(shape, args.folder, kind)
    written = round(time.monotonic() - began, 1)
    print(json.dumps({"written_s": written, **measured(shape, args.folder, args.on, kind)}))


main()
