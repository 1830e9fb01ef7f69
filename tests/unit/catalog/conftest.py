"""Tiny models whose files lie in a folder of the test."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from voiced.catalog.model import Catalog, FileSource, Kind, Model, ModelFile, Profile
from voiced.catalog.store import Store

Tiny = Callable[..., Model]


@pytest.fixture
def tiny(tmp_path: Path) -> Tiny:
    """Makes a model of files that lie under `tmp_path/origin`: name -> content."""

    def make(name: str = "tiny", *, production: bool = True, **contents: bytes) -> Model:
        origin = tmp_path / "origin" / name
        origin.mkdir(parents=True, exist_ok=True)
        files = []
        for file, content in (contents or {"weights": b"good"}).items():
            (origin / file).write_bytes(content)
            files.append(
                ModelFile(
                    name=file,
                    sha256=hashlib.sha256(content).hexdigest(),
                    bytes=len(content),
                    source=FileSource(kind="file", path=str(origin / file)),
                )
            )
        return Model(
            name=name,
            role=Kind.VAD,
            version="1.0",
            licence="CC-BY-NC-4.0",
            licence_url="https://example.org/licence",
            production=production,
            memory_mb=1,
            files=tuple(files),
        )

    return make


@pytest.fixture
def keep(tmp_path: Path) -> Callable[..., Store]:
    """Opens a store below `tmp_path/models` for some models."""

    def make(*models: Model, production: bool = True) -> Store:
        profile = Profile(vad="tiny", stt="tiny", llm="tiny", tts=("tiny",))
        catalog = Catalog(profiles={"all": profile}, models=models)
        return Store(catalog, tmp_path / "models", production=production)

    return make
