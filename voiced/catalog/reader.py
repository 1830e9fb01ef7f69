"""Reads catalog.toml, whole and checked.

It does not know whether the files that it names are there.
"""

from dataclasses import replace
from pathlib import Path

from voiced.catalog import pins, signature
from voiced.catalog.model import Catalog, Kind, Profile
from voiced.config.reader import read
from voiced.config.settings import Models
from voiced.errors import ConfigError

_PACKAGED = Path(__file__).with_name("catalog.toml")
_CHECKOUT = Path(__file__).resolve().parents[2] / "models/catalog.toml"


def read_catalog(settings: Models | None = None) -> Catalog:
    """The catalogue that came with the program, and the site's own and its pins laid over it.

    A site adds models, and adds or replaces profiles; where it asks for a signature, its own is all
    that there is. Raises ConfigError.
    """
    settings = settings or Models()
    path = _shipped()
    catalog, site = read(Catalog, path), _signed(settings)
    if settings.require_signature:
        catalog = Catalog()
    if site is not None:
        own = read(Catalog, site)
        catalog = Catalog(
            profiles={**catalog.profiles, **own.profiles}, models=catalog.models + own.models
        )
        path = site
    catalog = replace(catalog, models=pins.laid_over(catalog.models, pins.read_pins(settings)))
    wrong = [
        *(f"there are two models {name!r}: rename one" for name in _twice(catalog)),
        *(
            line
            for name, profile in catalog.profiles.items()
            for line in _wrong(name, profile, catalog)
        ),
    ]
    if wrong:
        raise ConfigError("\n".join(f"{path}: {sentence}" for sentence in wrong))
    return catalog


def catalog_with(model: str, settings: Models) -> Path:
    """The file that has the model: the site's own, or the one that came with the program."""
    site = settings.catalog
    own = site is not None and any(one.name == model for one in read(Catalog, site).models)
    return site if own and site is not None else _shipped()


def _shipped() -> Path:
    return _PACKAGED if _PACKAGED.is_file() else _CHECKOUT


def _signed(settings: Models) -> Path | None:
    """The site's catalogue, its signature checked where the site has named a key."""
    key, site = settings.public_key_file, settings.catalog
    if settings.require_signature and (key is None or site is None):
        raise ConfigError(
            "models.require_signature = true: write models.public_key_file and models.catalog"
        )
    if key is not None and site is not None:
        signature.check(site, key)
    return site


def _twice(catalog: Catalog) -> list[str]:
    names = [model.name for model in catalog.models]
    return sorted({name for name in names if names.count(name) > 1})


def _wrong(name: str, profile: Profile, catalog: Catalog) -> list[str]:
    """What is wrong with a profile: models that are not there, or play another role."""
    roles = {model.name: model.role for model in catalog.models}
    cast = [(Kind.VAD, profile.vad), (Kind.STT, profile.stt), (Kind.LLM, profile.llm)]
    cast += [(Kind.TTS, voice) for voice in profile.tts]
    cast += [(Kind.TURN, profile.turn)] if profile.turn else []
    return [
        f"profiles.{name}.{role} = {model!r}: write the name of a model of role {role.value!r}"
        for role, model in cast
        if roles.get(model) is not role
    ]
