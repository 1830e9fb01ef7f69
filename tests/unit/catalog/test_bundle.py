"""Models travel in one archive, and what is installed is what the catalogue says, or nothing."""

import io
import json
import tarfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from voiced.catalog import bundle, pins
from voiced.catalog.model import Catalog, Model
from voiced.catalog.progress import Progress
from voiced.catalog.pull import pin, pull
from voiced.catalog.store import Store
from voiced.config.settings import Models
from voiced.errors import ConfigError, Damaged, UnavailableError

pytestmark = pytest.mark.unit

Tiny = Callable[..., Model]
Keep = Callable[..., Store]


class Ward:
    """A machine without network: a catalogue, and an empty store."""

    def __init__(self, folder: Path, *models: Model) -> None:
        self.site = Models(dir=folder / "models", pins_file=folder / "pins.toml")
        self._models = models

    def opened(self, site: Models) -> Store:
        models = pins.laid_over(self._models, pins.read_pins(site))
        return Store(Catalog(models=models), site.dir, production=False)

    def install(self, archive: Path) -> list[str]:
        _, _, written = bundle.install(archive, self.site, self.opened, Progress(io.StringIO()))
        return written


def packed(folder: Path, model: Model, store: Store, site: Models | None = None) -> Path:
    pull(model, store, Progress(io.StringIO()))
    archive = folder / "models.tar"
    bundle.pack(archive, "all", [model], store, site or Models(pins_file=folder / "none"))
    return archive


def test_what_was_packed_is_installed_and_intact(tiny: Tiny, keep: Keep, tmp_path: Path) -> None:
    model = tiny(weights=b"good", config=b"{}")
    archive = packed(tmp_path, model, keep(model))
    ward = Ward(tmp_path / "ward", model)

    assert ["tiny/weights", "tiny/config"] == ward.install(archive)
    assert b"good" == ward.opened(ward.site).path_of("tiny", "weights").read_bytes()
    assert [] == ward.install(archive)


def test_two_archives_of_the_same_models_are_the_same(
    tiny: Tiny, keep: Keep, tmp_path: Path
) -> None:
    model = tiny()
    archive = packed(tmp_path, model, keep(model))
    first = archive.read_bytes()

    assert first == packed(tmp_path, model, keep(model)).read_bytes()


def test_the_manifest_names_every_licence_and_hash(tiny: Tiny, keep: Keep, tmp_path: Path) -> None:
    model = tiny()
    with tarfile.open(packed(tmp_path, model, keep(model))) as archive:
        manifest = json.load(archive.extractfile("manifest.json"))  # type: ignore[arg-type]

    (file,) = manifest["files"]
    assert ("CC-BY-NC-4.0", model.files[0].sha256) == (file["licence"], file["sha256"])


def test_an_archive_that_was_changed_on_the_way_installs_nothing(
    tiny: Tiny, keep: Keep, tmp_path: Path
) -> None:
    model = tiny(weights=b"good" * 1000)
    archive = packed(tmp_path, model, keep(model))
    archive.write_bytes(archive.read_bytes().replace(b"good", b"evil", 1))
    ward = Ward(tmp_path / "ward", model)

    with pytest.raises(Damaged, match="weights: deleted, because its SHA-256 is"):
        ward.install(archive)
    assert not (ward.site.dir / "tiny/weights").exists()
    assert not (ward.site.dir / "tiny/weights.partial").exists()


def test_an_archive_that_broke_off_is_named(tiny: Tiny, keep: Keep, tmp_path: Path) -> None:
    model = tiny(weights=b"good" * 5000)
    archive = packed(tmp_path, model, keep(model))
    archive.write_bytes(archive.read_bytes()[:4000])

    with pytest.raises(Damaged, match=r"models\.tar"):
        Ward(tmp_path / "ward", model).install(archive)


def test_an_archive_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match="there is no such file"):
        Ward(tmp_path / "ward").install(tmp_path / "absent.tar")


def test_pins_of_the_connected_machine_come_along(tiny: Tiny, keep: Keep, tmp_path: Path) -> None:
    plain = tiny()
    model = replace(plain, files=tuple(replace(f, sha256="", bytes=0) for f in plain.files))
    site = Models(pins_file=tmp_path / "pins.toml")
    pins.write_pins(site.pins_file, pin(model, keep(model), Progress(io.StringIO())))
    (known,) = pins.laid_over((model,), pins.read_pins(site))
    archive = packed(tmp_path, known, keep(known), site)
    ward = Ward(tmp_path / "ward", model)

    assert ["tiny/weights"] == ward.install(archive)
    assert pins.read_pins(site) == pins.read_pins(ward.site)


def test_an_archive_brings_no_pin_of_what_the_machine_knows(
    tiny: Tiny, keep: Keep, tmp_path: Path
) -> None:
    """A hash of the catalogue stands, whatever an archive says."""
    model = tiny()
    site = Models(pins_file=tmp_path / "pins.toml")
    wrong = pins.Pin(model="tiny", version="1.0", file="weights", sha256="1" * 64, bytes=4)
    pins.write_pins(site.pins_file, [wrong])
    ward = Ward(tmp_path / "ward", model)
    ward.install(packed(tmp_path, model, keep(model), site))

    assert not ward.site.pins_file.exists()


def test_a_site_that_signs_takes_no_unsigned_pins(tiny: Tiny, keep: Keep, tmp_path: Path) -> None:
    plain = tiny()
    model = replace(plain, files=tuple(replace(f, sha256="", bytes=0) for f in plain.files))
    site = Models(pins_file=tmp_path / "pins.toml")
    pins.write_pins(site.pins_file, pin(model, keep(model), Progress(io.StringIO())))
    (known,) = pins.laid_over((model,), pins.read_pins(site))
    archive = packed(tmp_path, known, keep(known), site)
    ward = Ward(tmp_path / "ward", model)
    ward.site = replace(ward.site, public_key_file=tmp_path / "key.pem")
    (tmp_path / "key.pem").write_text("no key")

    with pytest.raises(ConfigError):
        ward.install(archive)


def test_an_archive_of_another_version_is_refused(tiny: Tiny, keep: Keep, tmp_path: Path) -> None:
    model = tiny()
    archive = packed(tmp_path, model, keep(model))

    with pytest.raises(ConfigError, match=r"has version 1\.0, and the catalogue 2\.0"):
        Ward(tmp_path / "ward", replace(model, version="2.0")).install(archive)
