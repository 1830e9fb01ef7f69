"""What the voice says is what a recogniser hears: negations and numbers above all."""

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soxr

from voiced.audio.pcm import HEARING_HZ, SPEAKING_HZ, Pcm
from voiced.bench.readback import readback, sentences_of
from voiced.catalog.store import Store
from voiced.config.settings import Stt, Tts
from voiced.flow.cancel import Live, Take, Ticket
from voiced.stt import whisper
from voiced.tts import vits
from voiced.tts.local import Local
from voiced.words import Words

pytestmark = [pytest.mark.models, pytest.mark.timeout(120)]


@pytest.fixture(scope="module")
def voice(models_dir: Path, store: Store) -> Iterator[Local]:
    voice = vits.load(store, "piper-en-us-joe", Tts())
    yield voice
    voice.close()


@pytest.fixture(scope="module")
def recogniser(models_dir: Path) -> Any:
    import tqdm
    from faster_whisper import WhisperModel

    tqdm.tqdm.monitor_interval = 0  # its thread would outlive the tests
    return WhisperModel(
        str(models_dir / "whisper-base"), device="cpu", compute_type="int8", cpu_threads=2
    )


def heard(voice: Local, recogniser: Any, text: str, last_s: int = 28) -> str:
    """Lower-case words of the last seconds, as the recogniser writes them."""
    chunks: list[Pcm] = []
    ticket = Ticket("call", Take(0, 0), Live())
    asyncio.run(voice.speak(Words(text), chunks.append, ticket, first=True))
    samples = np.concatenate(chunks)[-last_s * SPEAKING_HZ :].astype(np.float32) / 32768
    padded = np.pad(soxr.resample(samples, SPEAKING_HZ, HEARING_HZ), HEARING_HZ // 2)
    segments, _ = recogniser.transcribe(
        padded, language="en", beam_size=1, temperature=0.0, without_timestamps=True
    )
    written = " ".join(segment.text for segment in segments).lower()
    return " ".join(re.findall(r"[a-z0-9']+", written.replace("-", " ").replace(",", "")))


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Please do not eat or drink anything after midnight.", r"\bdo not eat or drink\b"),
        ("You should not stop taking the tablets.", r"\bshould not stop\b"),
        ("Your appointment is on Tuesday, March third.", r"\btuesday march (third|3rd|3)\b"),
        ("Take fifteen drops in the morning.", r"\b(15|fifteen) drops\b"),
        ("Take fifty drops in the evening.", r"\b(50|fifty) drops\b"),
        ("Take eighty units before breakfast.", r"\b(80|eighty) units\b"),
        ("Mix it with eight ounces of water.", r"\b(8|eight) ounces\b"),
        ("He has no fever. He can go home.", r"\bno fever\b.*\bgo home\b"),
    ],
    ids=["not", "should-not", "date", "fifteen", "fifty", "eighty", "eight", "no"],
)
def test_negations_and_numbers_are_heard(
    voice: Local, recogniser: Any, text: str, kept: str
) -> None:
    found = heard(voice, recogniser, text)

    assert re.search(kept, found), found


def test_the_last_word_of_a_very_long_clause_is_heard(voice: Local, recogniser: Any) -> None:
    """Text beyond one piece is cut between words, and nothing of it is lost."""
    text = "when you come to the hospital please bring the letter from your doctor and " * 8
    found = heard(voice, recogniser, text + "your passport", last_s=6)

    assert found.split()[-1] == "passport"


@pytest.mark.timeout(300)
def test_no_negation_is_lost_and_hardly_a_number(voice: Local, store: Store) -> None:
    """The bars of a release, numbers and units together, on tests/data/safety_english.tsv."""
    sentences = sentences_of(Path(__file__).parents[1] / "data/safety_english.tsv")
    facts = store.model("whisper-base").facts
    stt = whisper.load(store.directory_of("whisper-base"), facts, Stt())
    try:
        found = asyncio.run(readback(voice, stt, sentences))
    finally:
        stt.close()

    assert 1.0 == found.negations.rate, found.misses
    read = found.numbers.read + found.units.read
    assert read / (found.numbers.said + found.units.said) >= 0.97, found.misses
