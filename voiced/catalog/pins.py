"""Pins: which bytes a file of the catalogue is, where the catalogue itself does not say.

    [[pins]]                  one for each file
    model, version, file      as the catalogue has them; another version is another file
    sha256, bytes             as `voiced models pin` found them on a connected machine

A pin never changes what the catalogue says. It does not know where the bytes come from.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from pydantic import Field

from voiced.catalog import signature
from voiced.catalog.model import Model, ModelFile, Sha256
from voiced.config.agent import Name
from voiced.config.reader import read
from voiced.config.settings import Models
from voiced.errors import ConfigError, UnavailableError

_HEAD = "# Written by `voiced models pin`: which file is meant, where the catalogue does not say.\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """One file of one version of a model."""

    model: Name
    version: str
    file: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
    sha256: Sha256
    bytes: Annotated[int, Field(ge=1)]

    @property
    def place(self) -> tuple[str, str, str]:
        return self.model, self.version, self.file


@dataclass(frozen=True, slots=True, kw_only=True)
class Pins:
    """The whole of pins.toml."""

    pins: tuple[Pin, ...] = ()


def read_pins(settings: Models) -> tuple[Pin, ...]:
    """The site's pins, their signature checked where a key is named. Raises ConfigError."""
    path = settings.pins_file.expanduser()
    if not path.is_file():
        return ()
    if settings.public_key_file is not None:
        signature.check(path, settings.public_key_file)
    return read(Pins, path).pins


def write_pins(path: Path, pins: Iterable[Pin]) -> None:
    """Replaces the file. Raises UnavailableError."""
    temporary = path.with_name(path.name + ".new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_text(_HEAD + "".join(map(_table, pins)), encoding="utf-8")
        temporary.replace(path)
    except OSError as error:
        raise UnavailableError(
            f"{path}: cannot be written ({error.strerror}): run this as a user who may, or name "
            "another file under [models] pins_file"
        ) from None


def joined(old: Iterable[Pin], new: Iterable[Pin]) -> tuple[Pin, ...]:
    """Both, in order. Raises ConfigError where they say two things of one file."""
    found = {pin.place: pin for pin in old}
    for pin in new:
        known = found.setdefault(pin.place, pin)
        if known != pin:
            raise ConfigError(
                f"{pin.model}/{pin.file}: was pinned to {known.sha256}, and is {pin.sha256} now: "
                "whoever publishes it has changed it; take the old pin out of pins.toml if you "
                "know why"
            )
    return tuple(found[place] for place in sorted(found))


def laid_over(models: tuple[Model, ...], pins: Iterable[Pin]) -> tuple[Model, ...]:
    """The models with the pins of their files, where those have none of their own."""
    known = {pin.place: pin for pin in pins}

    def file_of(model: Model, file: ModelFile) -> ModelFile:
        pin = known.get((model.name, model.version, file.name))
        if file.pinned or pin is None:
            return file
        return replace(file, sha256=pin.sha256, bytes=pin.bytes)

    return tuple(
        replace(model, files=tuple(file_of(model, file) for file in model.files))
        for model in models
    )


def _table(pin: Pin) -> str:
    rows = (("model", pin.model), ("version", pin.version), ("file", pin.file))
    named = "".join(f'{key} = "{value}"\n' for key, value in rows)
    return f'\n[[pins]]\n{named}sha256 = "{pin.sha256}"\nbytes = {pin.bytes}\n'
