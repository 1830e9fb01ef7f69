"""The log-mel spectrogram that Whisper reads: of sound, and of silence behind it.

    OnProcessor   by numpy, one sound after the other
    OnCard        by torch, all sounds at once, in the card's memory, where CTranslate2 takes it

Silence as the model was trained with: samples of zero, whose columns are all the same. It does not
know the model.
"""

from collections.abc import Sequence
from types import ModuleType
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from faster_whisper.feature_extractor import FeatureExtractor

from voiced.audio.pcm import HEARING_HZ, Pcm
from voiced.config.settings import Device
from voiced.errors import UnavailableError
from voiced.stt.gain import lifted

_COLUMNS_HZ = 100

_SILENCE = HEARING_HZ // 20
"""Samples of silence that numpy transforms; the columns of any more would be no different."""

_FAINTEST = 1e-10
_RANGE = 8.0
"""Powers of ten below its loudest place from which on all of a sound is the same."""


class Mel(Protocol):
    """Called on one thread at a time."""

    def of(self, sounds: Sequence[Pcm], window_s: int) -> Any:
        """Of each sound, filled up with silence to so many seconds: [sounds, mels, columns] in
        float32, in the memory of the device that it was made on."""


def on(device: Device, mels: int) -> Mel:
    """Raises UnavailableError."""
    return OnCard(mels, _torch()) if device == "cuda" else OnProcessor(mels)


class OnProcessor:
    """A Mel, and the measure of the other."""

    def __init__(self, mels: int) -> None:
        self._extract = FeatureExtractor(feature_size=mels)

    def of(self, sounds: Sequence[Pcm], window_s: int) -> npt.NDArray[np.float32]:
        """See Mel."""
        return np.stack([self._one(pcm, window_s * _COLUMNS_HZ) for pcm in sounds])

    def _one(self, pcm: Pcm, columns: int) -> npt.NDArray[np.float32]:
        heard = self._extract(np.pad(lifted(pcm), (0, _SILENCE)))[:, :columns]
        window = np.full((len(heard), columns), heard[0, -1], np.float32)
        window[:, : heard.shape[1]] = heard
        return window


class OnCard:
    """A Mel. Its work is done when it returns: CTranslate2 reads it on a stream of its own, and
    waits for nobody's."""

    def __init__(self, mels: int, torch: Any) -> None:
        extract = FeatureExtractor(feature_size=mels)
        self._torch, self._fft, self._hop = torch, extract.n_fft, extract.hop_length
        self._stream = torch.cuda.Stream()
        """Not the default one, at which all others would wait."""
        with torch.cuda.stream(self._stream):
            self._filters = torch.as_tensor(extract.mel_filters, device="cuda")
            hann = np.hanning(self._fft + 1)[:-1].astype(np.float32)
            self._hann = torch.as_tensor(hann, device="cuda")

    def of(self, sounds: Sequence[Pcm], window_s: int) -> Any:
        """See Mel."""
        # with so much silence behind the window that the transform mirrors none of the sound
        padded = np.zeros((len(sounds), window_s * HEARING_HZ + self._fft), np.float32)
        for row, pcm in zip(padded, sounds, strict=True):
            row[: len(pcm)] = lifted(pcm)[: len(row)]
        with self._torch.cuda.stream(self._stream):
            made = self._logarithm(
                self._torch.as_tensor(padded, device="cuda"), window_s * _COLUMNS_HZ
            )
        self._stream.synchronize()
        return made

    def _logarithm(self, sounds: Any, columns: int) -> Any:
        """What FeatureExtractor computes of one sound, of a row for each."""
        torch = self._torch
        spectrum = torch.stft(
            sounds, self._fft, self._hop, window=self._hann, center=True, return_complex=True
        )
        power = torch.matmul(self._filters, torch.abs(spectrum[..., :columns]) ** 2)
        powers = torch.log10(torch.clamp(power, min=_FAINTEST))
        loudest = torch.amax(powers, dim=(1, 2), keepdim=True)
        return ((torch.maximum(powers, loudest - _RANGE) + 4.0) / 4.0).contiguous()


def _torch() -> ModuleType:
    """Raises UnavailableError where it is not installed: it comes with the card's lock alone."""
    try:
        import torch
    except ModuleNotFoundError:
        raise UnavailableError(
            "[stt] device = 'cuda': the package torch is not here: install requirements/gpu.txt, "
            "whole"
        ) from None
    found: ModuleType = torch
    return found
