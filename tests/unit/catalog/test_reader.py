"""catalog.toml is read whole, or refused with the key that is wrong."""

from pathlib import Path

import pytest

from voiced.catalog.model import HttpsSource, Kind
from voiced.catalog.reader import read_catalog
from voiced.config.settings import Models
from voiced.errors import ConfigError

pytestmark = pytest.mark.unit

_MODEL = """
[[models]]
name = "{name}"
role = "{role}"
version = "1"
licence = "MIT"
licence_url = "https://example.org"
production = true
memory_mb = 1
[[models.files]]
name = "weights"
sha256 = "{sha256}"
bytes = 4
source = {{ kind = "file", path = "/medium/weights" }}
"""
_PROFILE = '[profiles.small]\nvad = "ear"\nstt = "reader"\nllm = "brain"\ntts = ["voice"]\n'
_ROLES = {"ear": "vad", "reader": "stt", "brain": "llm", "voice": "tts"}


def written(path: Path, profile: str = _PROFILE, sha256: str = "0" * 64, **roles: str) -> Path:
    models = (
        _MODEL.format(name=name, role=role, sha256=sha256)
        for name, role in {**_ROLES, **roles}.items()
    )
    file = path / "catalog.toml"
    file.write_text(profile + "".join(models))
    return file


def test_the_catalogue_that_came_with_the_program_is_right() -> None:
    catalog = read_catalog()

    assert set(catalog.profile("demo-cpu").names) <= {model.name for model in catalog.models}


def test_every_model_of_it_names_licence_and_source() -> None:
    for model in read_catalog().models:
        assert model.licence
        assert model.licence_url.startswith("https://")
        for file in model.files:
            assert file.pinned == (file.bytes > 0)
            assert file.pinned or isinstance(file.source, HttpsSource)


def test_each_size_of_card_has_a_profile_that_production_allows() -> None:
    catalog = read_catalog()
    sizes = {profile.card_gb for profile in catalog.profiles.values()}

    assert {0, 24, 48, 80} == sizes
    for profile in catalog.profiles.values():
        if profile.card_gb:
            assert all(catalog.model(name).production for name in profile.names)
            assert sum(catalog.model(name).memory_mb for name in profile.names) < (
                profile.card_gb * 1000
            )


def test_a_site_adds_models_and_profiles(tmp_path: Path) -> None:
    catalog = read_catalog(Models(catalog=written(tmp_path)))

    assert ("ear", "reader", "brain", "voice") == catalog.profile("small").names
    assert {"small"} == set(catalog.profiles) - set(read_catalog().profiles)


def test_a_site_may_mix_its_models_with_those_that_came_with_the_program(tmp_path: Path) -> None:
    catalog = read_catalog(
        Models(catalog=written(tmp_path, _PROFILE.replace('"reader"', '"whisper-base"')))
    )

    assert Kind.STT is catalog.model(catalog.profile("small").stt).role


def test_the_example_of_a_site_s_catalogue_is_right() -> None:
    example = Path(__file__).parents[3] / "docs/examples/catalog.toml"

    assert set(read_catalog().profiles) < set(read_catalog(Models(catalog=example)).profiles)


def test_a_hash_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"models\.0\.files\.0\.sha256"):
        read_catalog(Models(catalog=written(tmp_path, sha256="abc")))


def test_a_profile_with_a_model_in_the_wrong_role_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"profiles\.small\.llm = 'brain'.*role 'llm'"):
        read_catalog(Models(catalog=written(tmp_path, brain="tts")))


def test_a_profile_with_an_unknown_model_is_refused(tmp_path: Path) -> None:
    profile = _PROFILE.replace('"reader"', '"nobody"')

    with pytest.raises(ConfigError, match=r"profiles\.small\.stt = 'nobody'"):
        read_catalog(Models(catalog=written(tmp_path, profile)))


def test_two_models_of_one_name_are_refused(tmp_path: Path) -> None:
    file = written(tmp_path)
    twin = _MODEL.format(name="ear", role="vad", sha256="1" * 64)
    file.write_text(file.read_text() + twin)

    with pytest.raises(ConfigError, match="two models 'ear'"):
        read_catalog(Models(catalog=file))


def test_an_unknown_profile_is_refused_with_those_that_there_are(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no profile 'big'; there are: card-24, .*, small"):
        read_catalog(Models(catalog=written(tmp_path))).profile("big")
