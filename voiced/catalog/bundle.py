"""Models in one archive, for a machine that has no network: packed where there is one.

    manifest.json       profile, and for each file: model, version, licence, SHA-256, bytes
    pins.toml[.sig]     the pins of the machine that packed it, where it has some
    MODEL/FILE          as they lie in the store

What is installed is what the catalogue of the machine says, and what the archive's pins say where
that has no hash; an archive never replaces a hash. It does not know what the models are for.
"""

import io
import json
import tarfile
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from voiced.catalog import pins as pinning
from voiced.catalog.digest import sha256_of
from voiced.catalog.model import Model, ModelFile
from voiced.catalog.progress import Progress
from voiced.catalog.pull import accept, alone, check_room, partial_of
from voiced.catalog.store import Store, check_pinned
from voiced.config.reader import read_json
from voiced.config.settings import Models
from voiced.errors import ConfigError, Damaged, UnavailableError

_MANIFEST, _PINS, _SIGNATURE = "manifest.json", "pins.toml", "pins.toml.sig"
_FORMAT = 1
_PIECE_BYTES = 1 << 20
_SMALL_BYTES = 1 << 20
"""A manifest or pins that are larger are none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Packed:
    """One file in the archive."""

    model: str
    version: str
    licence: str
    file: str
    sha256: str
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What an archive holds."""

    format: int
    profile: str
    files: tuple[Packed, ...]


def pack(archive: Path, profile: str, models: Iterable[Model], store: Store, site: Models) -> str:
    """Writes the archive, whole or not at all; returns the SHA-256 of it.

    Raises ConfigError, UnavailableError or Damaged as the store does: only what is right is packed.
    """
    files = [(model, file, store.path_of(model.name, file.name)) for model, file in _all(models)]
    manifest = {
        "format": _FORMAT,
        "profile": profile,
        "files": [
            {
                "model": model.name,
                "version": model.version,
                "licence": model.licence,
                "file": file.name,
                "sha256": file.sha256,
                "bytes": path.stat().st_size,
            }
            for model, file, path in files
        ],
    }
    partial = partial_of(archive)
    try:
        with tarfile.open(partial, "w") as packed:
            _add(packed, _MANIFEST, json.dumps(manifest, indent=1).encode())
            signature = site.pins_file.with_name(site.pins_file.name + ".sig")
            for name, path in ((_PINS, site.pins_file), (_SIGNATURE, signature)):
                if path.is_file():
                    _add(packed, name, path.read_bytes())
            for model, file, path in files:
                packed.add(path, f"{model.name}/{file.name}", filter=_plain)
        partial.replace(archive)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise UnavailableError(f"{archive}: cannot be written ({error.strerror})") from None
    return sha256_of(archive)


def install(
    archive: Path, site: Models, opened: Callable[[Models], Store], progress: Progress
) -> tuple[Store, list[Model], list[str]]:
    """Brings an archive's models into the store that `opened` opens for settings.

    Returns it, the models, and what was written, as MODEL/FILE. Raises ConfigError, Damaged, or
    UnavailableError.
    """
    with _reading(archive) as packed:
        manifest = _manifest(packed, archive)
        _take_pins(packed, site, opened(site))
        store = opened(site)
        models = [store.catalog.model(name) for name in dict.fromkeys(_names(manifest))]
        for one in manifest.files:
            _check_version(one, store.catalog.model(one.model))
        written = [
            f"{model.name}/{name}"
            for model in models
            for name in _install(packed, model, store, progress)
        ]
    return store, models, written


def _install(
    packed: tarfile.TarFile, model: Model, store: Store, progress: Progress
) -> Iterator[str]:
    for file in model.files:
        check_pinned(model, file)
    with alone(model, store, progress) as folder:
        wanted = [file for file in model.files if store.state_of(model, file) != "ok"]
        check_room(model, folder, wanted)
        for file in wanted:
            _unpack(packed, f"{model.name}/{file.name}", partial_of(folder / file.name))
            accept(folder / file.name, file)
            store.learn(model, file)
            yield file.name


def _unpack(packed: tarfile.TarFile, name: str, path: Path) -> None:
    member = _member(packed, name)
    if member is None:
        raise Damaged(f"{name} is not in the archive: pack it again")
    with path.open("wb") as output:
        while piece := member.read(_PIECE_BYTES):
            output.write(piece)


def _take_pins(packed: tarfile.TarFile, site: Models, store: Store) -> None:
    """Adds the archive's pins of what this machine has no hash of.

    Where the site signs, they must be signed too, and take the place of its own.
    """
    raw = _small(packed, _PINS)
    lacking = {(m.name, m.version, f.name) for m, f in _all(store.catalog.models) if not f.pinned}
    if raw is None or not lacking:
        return
    with tempfile.TemporaryDirectory() as folder:
        brought = Path(folder) / _PINS
        brought.write_bytes(raw)
        signature = _small(packed, _SIGNATURE)
        if signature is not None:
            (Path(folder) / _SIGNATURE).write_bytes(signature)
        found = pinning.read_pins(replace(site, pins_file=brought))
    news = [pin for pin in found if pin.place in lacking]
    if not news:
        return
    if site.public_key_file is None:
        pinning.write_pins(site.pins_file, pinning.joined(pinning.read_pins(site), news))
        return
    _keep(site.pins_file, raw)
    assert signature is not None, "read_pins has checked it"
    _keep(site.pins_file.with_name(site.pins_file.name + ".sig"), signature)


def _keep(path: Path, raw: bytes) -> None:
    try:
        path.write_bytes(raw)
    except OSError as error:
        raise UnavailableError(f"{path}: cannot be written ({error.strerror})") from None


def _check_version(packed: Packed, model: Model) -> None:
    if packed.version != model.version:
        raise ConfigError(
            f"{packed.model}: the archive has version {packed.version}, and the catalogue "
            f"{model.version}: pack it with the catalogue of this release"
        )


@contextmanager
def _reading(archive: Path) -> Iterator[tarfile.TarFile]:
    try:
        with tarfile.open(archive, "r:") as packed:
            yield packed
    except (tarfile.TarError, EOFError):
        raise Damaged(f"{archive}: is not a whole archive: bring it again") from None
    except FileNotFoundError:
        raise UnavailableError(f"{archive}: there is no such file") from None


def _manifest(packed: tarfile.TarFile, archive: Path) -> Manifest:
    raw = _small(packed, _MANIFEST)
    if raw is None:
        raise Damaged(f"{archive}: has no manifest: `voiced models bundle` writes one")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / _MANIFEST
        path.write_bytes(raw)
        manifest = read_json(Manifest, path)
    if manifest.format != _FORMAT:
        raise ConfigError(f"{archive}: is of format {manifest.format}: pack it with this version")
    return manifest


def _small(packed: tarfile.TarFile, name: str) -> bytes | None:
    member = _member(packed, name)
    return None if member is None else member.read(_SMALL_BYTES)


def _member(packed: tarfile.TarFile, name: str) -> Any:
    try:
        found = packed.getmember(name)
    except KeyError:
        return None
    return packed.extractfile(found) if found.isreg() else None


def _add(packed: tarfile.TarFile, name: str, content: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(content)
    packed.addfile(_plain(entry), io.BytesIO(content))


def _plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    """Nothing of the machine that packs it."""
    entry.uid = entry.gid = entry.mtime = 0
    entry.uname = entry.gname = "root"
    entry.mode = 0o644
    return entry


def _all(models: Iterable[Model]) -> list[tuple[Model, ModelFile]]:
    return [(model, file) for model in models for file in model.files]


def _names(manifest: Manifest) -> list[str]:
    return [packed.model for packed in manifest.files]
