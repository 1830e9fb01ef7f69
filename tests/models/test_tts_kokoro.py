"""Kokoro itself, a few short sentences: it takes a second of CPU for each second of speech."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from voiced.audio.loudness import integrated_lufs
from voiced.audio.pcm import SPEAKING_HZ, Pcm
from voiced.catalog.store import Store
from voiced.config.settings import Tts
from voiced.errors import ConfigError
from voiced.flow.cancel import Live, Take, Ticket
from voiced.tts.diction import LOUDNESS_LUFS
from voiced.tts.kokoro import Family
from voiced.tts.lexicon import Entry, Lexicon, Said
from voiced.tts.local import Local
from voiced.tts.model import Spoken
from voiced.words import Words

pytestmark = [pytest.mark.models, pytest.mark.timeout(120)]

NAME = "kokoro"


@pytest.fixture(scope="module")
def family(store: Store) -> Family:
    model = store.catalog.model(NAME)
    if any(store.state_of(model, file) != "ok" for file in model.files):
        pytest.skip(f"voiced models pull {NAME} --config docs/examples/demo.toml")
    return Family(store, NAME, Tts(deadline_ms=60_000))


@pytest.fixture(scope="module")
def heart(family: Family) -> Iterator[Local]:
    heart = family.voice("en")
    yield heart
    heart.close()


def spoken(voice: Local, text: str) -> tuple[Pcm, Spoken]:
    chunks: list[Pcm] = [np.zeros(0, np.int16)]
    ticket = Ticket("call", Take(0, 0), Live())
    told = asyncio.run(voice.speak(Words(text), chunks.append, ticket, first=True))
    return np.concatenate(chunks), told


def test_it_begins_at_once_is_as_loud_as_every_voice_and_tells_its_words(heart: Local) -> None:
    """Of 300 ms of silence in front 20 stay; the last word ends where the sound does."""
    sound, told = spoken(heart, "The pharmacy is next to the main entrance.")
    loud = np.flatnonzero(np.abs(sound.astype(int)) > 600) / SPEAKING_HZ

    assert loud[0] < 0.06
    assert pytest.approx(LOUDNESS_LUFS, abs=1.0) == integrated_lufs(sound, SPEAKING_HZ)
    assert 8 == len(told.word_ends)
    assert sorted(told.word_ends) == list(told.word_ends)
    assert pytest.approx(loud[-1], abs=0.15) == told.word_ends[-1]


def test_a_loud_speaker_is_as_loud_as_a_soft_one(family: Family, heart: Local) -> None:
    """Emma is 4 dB louder by herself."""
    emma = family.voice("en", "bf_emma")
    sound, _ = spoken(emma, "The pharmacy is next to the main entrance.")
    emma.close()

    assert pytest.approx(LOUDNESS_LUFS, abs=1.5) == integrated_lufs(sound, SPEAKING_HZ)


def test_a_speaker_of_another_language_shares_weights_and_thread(
    family: Family, heart: Local
) -> None:
    """And takes neither from the others when it is closed."""
    dora = family.voice("es")
    sound, _ = spoken(dora, "Buenos días.")
    dora.close()

    assert 0.5 < len(sound) / SPEAKING_HZ < 2.5
    assert spoken(heart, "Yes.")[1].seconds > 0.2


@pytest.mark.parametrize(
    ("language", "speaker"), [("en", "nobody"), ("en", "ef_dora"), ("ko", ""), ("ko", "af_heart")]
)
def test_a_speaker_that_does_not_fit_is_refused(
    family: Family, heart: Local, language: str, speaker: str
) -> None:
    with pytest.raises(ConfigError, match=f"no such speaker for '{language}'"):
        family.voice(language, speaker)


def test_the_lexicons_phonemes_are_checked_against_its_symbols(
    family: Family, heart: Local
) -> None:
    lexicon = Lexicon("en", (Entry("x", Said(ipa="ʘ"), "drugs.toml:3"),))

    with pytest.raises(ConfigError, match=r"drugs\.toml:3: 'x': .*'kokoro' does not know 'ʘ'"):
        family.voice("en", "", lexicon)


def test_another_model_is_no_kokoro(store: Store, models_dir: Path) -> None:
    with pytest.raises(ConfigError, match="write 'kokoro'"):
        Family(store, "piper-en-us-joe", Tts())
