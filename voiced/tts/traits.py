"""What a voice's JSON file says of it: rate, language, symbols, manner of speaking.

The file is Piper's and comes beside the ONNX file. It does not know sessions or text.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from voiced.errors import UnavailableError


@dataclass(frozen=True, slots=True, kw_only=True)
class Audio:
    """audio"""

    sample_rate: Annotated[int, Field(ge=8_000, le=48_000)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """espeak"""

    voice: Annotated[str, Field(min_length=1)]
    """Name of the espeak-ng voice whose phonemes this one was trained on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """inference: how much chance there is in a sentence, and how slowly it is said."""

    noise_scale: float
    """Of the sound."""
    length_scale: Annotated[float, Field(gt=0.0)]
    noise_w: float
    """Of the rhythm."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """The parts of the file that are used; the rest is passed over."""

    audio: Audio
    espeak: Language
    inference: Manner
    phoneme_id_map: dict[str, list[int]]
    """Symbol to numbers: `^` begins, `_` stands between, `$` ends."""
    num_speakers: Annotated[int, Field(ge=1)] = 1


def read(directory: Path) -> Traits:
    """The traits in the one `*.onnx.json` of a voice's directory. Raises UnavailableError."""
    files = sorted(directory.glob("*.onnx.json"))
    if len(files) != 1:
        raise UnavailableError(
            f"{directory}: holds {len(files)} files *.onnx.json instead of one: voiced models pull"
        )
    try:
        read: Any = json.loads(files[0].read_text(encoding="utf-8"))
        traits = TypeAdapter(Traits).validate_python(read)
    except (ValidationError, ValueError, OSError):
        raise UnavailableError(f"{files[0]}: is not the JSON file of a Piper voice") from None
    missing = [symbol for symbol in "_^$ " if not traits.phoneme_id_map.get(symbol)]
    if missing:
        raise UnavailableError(f"{files[0]}: phoneme_id_map lacks {missing}")
    return traits
