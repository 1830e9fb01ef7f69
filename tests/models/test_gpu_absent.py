"""What is asked to run on a card where there is none is refused: nothing falls back in silence."""

from pathlib import Path

import ctranslate2
import pytest

from voiced.catalog.store import Store
from voiced.config.settings import Llm
from voiced.errors import UnavailableError
from voiced.llm import llama
from voiced.stt import windows
from voiced.stt.reader import Reader
from voiced.tts.graphs import session

pytestmark = [
    pytest.mark.models,
    pytest.mark.skipif(ctranslate2.get_cuda_device_count() > 0, reason="there is a card"),
]


def test_the_recogniser(store: Store, models_dir: Path) -> None:
    facts = windows.read(store.model("whisper-base").facts)

    with pytest.raises(UnavailableError, match=r"\[stt\] device = 'cuda': .*sees no card"):
        Reader(models_dir / "whisper-base", facts, 1, "cuda")


def test_the_language_model(store: Store, models_dir: Path) -> None:
    (gguf,) = (models_dir / "gemma-3-270m").glob("*.gguf")

    with pytest.raises(UnavailableError, match=r"\[llm\] device = 'cuda': .*sees no card"):
        llama.load(gguf, store.model("gemma-3-270m").facts, Llm(device="cuda"))


def test_the_voice(models_dir: Path) -> None:
    with pytest.raises(UnavailableError, match=r"onnxruntime runs it with CPU.*not on cuda"):
        session(models_dir / "piper-en-us-joe/en_US-joe-medium.onnx", 1, "cuda")
