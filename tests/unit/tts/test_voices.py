"""Which voice a name means, and what it speaks."""

from collections.abc import Callable
from pathlib import Path

import pytest

from voiced.catalog.model import Catalog, FileSource, Kind, Model, ModelFile
from voiced.catalog.store import Store
from voiced.config.settings import Tts
from voiced.errors import ConfigError
from voiced.tts.voices import Voices, languages

pytestmark = pytest.mark.unit

Keep = Callable[..., Store]


@pytest.fixture
def keep(tmp_path: Path) -> Keep:
    """A store with one model that has no files yet."""

    def make(role: Kind = Kind.TTS, **facts: object) -> Store:
        file = ModelFile(
            name="weights",
            sha256="0" * 64,
            bytes=1,
            source=FileSource(kind="file", path="/nowhere"),
        )
        model = Model(
            name="mine",
            role=role,
            version="1",
            licence="MIT",
            licence_url="https://example.org",
            production=True,
            memory_mb=1,
            files=(file,),
            facts=facts,
        )
        return Store(Catalog(models=(model,)), tmp_path, production=True)

    return make


def test_a_voice_speaks_what_its_catalogue_entry_says_whoever_the_speaker(keep: Keep) -> None:
    store = keep(family="kokoro", languages=["en", "es"])

    assert ("en", "es") == languages(store, "mine") == languages(store, "mine/af_heart")


def test_the_programs_own_voice_speaks_whatever_it_is_asked_for(keep: Keep) -> None:
    assert None is languages(keep(), "espeak-ng")


def test_a_model_of_another_role_is_no_voice(keep: Keep) -> None:
    with pytest.raises(ConfigError, match="'mine' is no voice"):
        languages(keep(Kind.STT), "mine")


def test_an_unknown_name_is_refused(keep: Keep) -> None:
    with pytest.raises(ConfigError, match="'yours'"):
        Voices(keep(), Tts()).load("yours", "en")


def test_a_family_that_nobody_knows_is_refused(keep: Keep) -> None:
    with pytest.raises(ConfigError, match=r"facts\.family = 'radio'"):
        Voices(keep(family="radio"), Tts()).load("mine", "en")


def test_a_mistake_in_the_lexicon_is_found_before_any_voice_is_loaded(
    keep: Keep, tmp_path: Path
) -> None:
    (tmp_path / "drugs.toml").write_text("[en]\nA = 5\n")

    with pytest.raises(ConfigError, match=r"drugs\.toml:2: 'A'"):
        Voices(keep(), Tts(lexicon_dir=tmp_path))
