"""The spectrogram on a card is the processor's, and complete when it is handed over.

The card is one of numpy, with as much of torch as is used; where torch is installed its functions
are asked too, on this machine's processor.
"""

import sys
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import ctranslate2
import numpy as np
import pytest
from faster_whisper.feature_extractor import FeatureExtractor

from voiced.audio.pcm import Pcm
from voiced.errors import UnavailableError
from voiced.stt import mel
from voiced.stt.mel import OnCard, OnProcessor

pytestmark = pytest.mark.unit

HZ = 16_000
MELS = 80


class Tensor(np.ndarray):
    """What torch has of an array beside its functions."""

    def contiguous(self) -> "Tensor":
        return np.ascontiguousarray(self).view(Tensor)


class Card:
    """Which stream work is given to, and what happened on it."""

    def __init__(self, work: Any) -> None:
        self.happened: list[str] = []
        self._work = work
        self.cuda = SimpleNamespace(Stream=lambda: self, stream=self._chosen)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._work, name)

    def as_tensor(self, array: Any, device: str) -> Any:
        assert ("cuda", "chosen") == (device, self.happened[-1])
        return self._work.as_tensor(array)

    def synchronize(self) -> None:
        self.happened.append("done")

    @contextmanager
    def _chosen(self, stream: object) -> Any:
        assert stream is self
        self.happened.append("chosen")
        yield
        self.happened.append("left")


def of_numpy() -> Any:
    def stft(x: Any, fft: int, hop: int, *, window: Any, center: bool, return_complex: bool) -> Any:
        found = FeatureExtractor.stft(
            np.asarray(x), fft, hop, window=window, center=center, return_complex=return_complex
        )
        return found.astype(np.complex64).view(Tensor)

    def matmul(a: Any, b: Any) -> Any:
        """In strides, as torch may leave what it computed the other way round."""
        return np.swapaxes(np.matmul(np.swapaxes(b, 1, 2), a.T), 1, 2)

    return SimpleNamespace(
        as_tensor=lambda array: np.asarray(array).view(Tensor),
        stft=stft,
        abs=np.abs,
        matmul=matmul,
        log10=np.log10,
        maximum=np.maximum,
        clamp=lambda x, min: np.clip(x, min, None),
        amax=lambda x, dim, keepdim: np.max(x, axis=dim, keepdims=keepdim),
    )


def of_torch() -> Any:
    return pytest.importorskip(
        "torch", reason="torch is not installed: it comes with the card's lock alone"
    )


def sound(seconds: float, level: float, seed: int = 5) -> Pcm:
    noise = np.random.default_rng(seed).normal(0, level, int(seconds * HZ))
    return np.clip(noise, -32768, 32767).astype(np.int16)


@pytest.mark.parametrize("work", [of_numpy, of_torch])
@pytest.mark.parametrize("mels", [80, 128])
def test_a_card_gives_what_the_processor_gives_of_each_sound_alone(work: Any, mels: int) -> None:
    """A batch: short and long, loud, plain, and so quiet that it is lifted; and nothing but
    silence."""
    batch = [sound(0.5, 9000), sound(3.21, 1000), sound(9, 40), np.zeros(HZ, np.int16)]
    made = np.asarray(OnCard(mels, Card(work())).of(batch, 9))

    assert ((4, mels, 900), np.float32) == (made.shape, made.dtype)
    for sounded, one in zip(batch, made, strict=True):
        np.testing.assert_allclose(one, OnProcessor(mels).of([sounded], 9)[0], atol=2e-5)


def test_it_lies_as_ctranslate2_takes_it() -> None:
    """In one piece: of an array in strides it would have to make a copy, and refuses."""
    made = OnCard(MELS, Card(of_numpy())).of([sound(2, 1000), sound(1, 1000)], 9)

    assert [2, MELS, 900] == ctranslate2.StorageView.from_array(np.asarray(made)).shape


def test_it_is_complete_when_it_is_handed_over() -> None:
    """CTranslate2 reads it on another stream, which waits for none."""
    card = Card(of_numpy())
    ears = OnCard(MELS, card)
    card.happened.clear()
    ears.of([sound(1, 1000)], 9)

    assert ["chosen", "left", "done"] == card.happened


def test_without_torch_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)

    with pytest.raises(UnavailableError, match="install requirements"):
        mel.on("cuda", MELS)


def test_without_a_card_nobody_asks_for_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)

    assert isinstance(mel.on("cpu", MELS), OnProcessor)
