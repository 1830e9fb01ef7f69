"""Sound as the protocol's events hold it: base64 of PCM16, little-endian, mono, 24 kHz. Pure.

It does not know where the sound comes from or goes to.
"""

import base64
import binascii
from collections.abc import Mapping
from typing import Any

import numpy as np

from voiced.audio.pcm import Pcm
from voiced.realtime.refused import WishRefused

_WIRE = np.dtype("<i2")


def decoded(event: Mapping[str, Any]) -> Pcm:
    """The sound of an `input_audio_buffer.append`. Raises WishRefused."""
    audio = event.get("audio")
    if not isinstance(audio, str):
        raise WishRefused("missing_parameter", "send audio, base64", "audio")
    try:
        raw = base64.b64decode(audio, validate=True)
    except (binascii.Error, ValueError):
        raise WishRefused("invalid_value", "the audio is not base64", "audio") from None
    if len(raw) % _WIRE.itemsize:
        raise WishRefused("invalid_value", "a sample of pcm16 has two bytes", "audio")
    return np.frombuffer(raw, _WIRE).astype(np.int16)


def encoded(pcm: Pcm) -> str:
    """The sound of a `response.output_audio.delta`."""
    return base64.b64encode(pcm.astype(_WIRE).tobytes()).decode()
