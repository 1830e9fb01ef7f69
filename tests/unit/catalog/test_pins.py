"""A pin says which file is meant where the catalogue does not, and never changes what that says."""

import base64
import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from voiced.catalog import pins
from voiced.catalog.model import Model
from voiced.catalog.pins import Pin
from voiced.catalog.progress import Progress
from voiced.catalog.pull import pin, pull
from voiced.catalog.store import Store
from voiced.config.settings import Models
from voiced.errors import ConfigError

pytestmark = pytest.mark.unit

Tiny = Callable[..., Model]
Keep = Callable[..., Store]

ONE = Pin(model="tiny", version="1.0", file="weights", sha256="1" * 64, bytes=4)


def unpinned(model: Model) -> Model:
    return replace(model, files=tuple(replace(file, sha256="", bytes=0) for file in model.files))


def pinned(model: Model, store: Store) -> list[Pin]:
    return pin(model, store, Progress(io.StringIO()))


def test_what_has_no_hash_is_never_opened_though_it_lies_there(tiny: Tiny, keep: Keep) -> None:
    model = unpinned(tiny())
    store = keep(model)
    pinned(model, store)

    assert (store.directory / "tiny/weights").is_file()
    assert "unpinned" == store.state_of(model, model.files[0])
    with pytest.raises(ConfigError, match=r"no SHA-256.*never loaded.*voiced models pin tiny"):
        store.path_of("tiny", "weights")


def test_what_has_no_hash_is_not_pulled(tiny: Tiny, keep: Keep) -> None:
    model = unpinned(tiny())

    with pytest.raises(ConfigError, match="voiced models pin tiny"):
        pull(model, keep(model), Progress(io.StringIO()))


def test_a_pinned_file_is_used_and_not_fetched_again(
    tiny: Tiny, keep: Keep, tmp_path: Path
) -> None:
    model = unpinned(tiny())
    found = pinned(model, keep(model))
    (tmp_path / "origin/tiny/weights").unlink()
    (whole,) = pins.laid_over((model,), found)
    store = keep(whole)

    assert [] == pull(whole, store, Progress(io.StringIO()))
    assert b"good" == store.path_of("tiny", "weights").read_bytes()


def test_a_pin_is_read_as_it_was_written(tmp_path: Path) -> None:
    site = Models(pins_file=tmp_path / "etc/pins.toml")

    assert () == pins.read_pins(site)
    pins.write_pins(site.pins_file, [ONE])

    assert (ONE,) == pins.read_pins(site)


def test_a_pin_changes_no_hash_of_the_catalogue(tiny: Tiny) -> None:
    model = tiny()

    assert (model,) == pins.laid_over((model,), [ONE])


def test_a_pin_of_another_version_says_nothing(tiny: Tiny) -> None:
    model = replace(unpinned(tiny()), version="2.0")

    assert (model,) == pins.laid_over((model,), [ONE])


def test_a_file_that_became_another_since_it_was_pinned_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"tiny/weights: was pinned to 1111.*whoever publishes"):
        pins.joined([ONE], [replace(ONE, sha256="2" * 64)])


def test_where_the_site_signs_pins_without_its_signature_are_refused(tmp_path: Path) -> None:
    key = Ed25519PrivateKey.generate()
    public = tmp_path / "key.pem"
    public.write_bytes(
        key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    )
    site = Models(pins_file=tmp_path / "pins.toml", public_key_file=public)
    pins.write_pins(site.pins_file, [ONE])
    with pytest.raises(ConfigError):
        pins.read_pins(site)

    signature = base64.b64encode(key.sign(site.pins_file.read_bytes()))
    (tmp_path / "pins.toml.sig").write_bytes(signature)

    assert (ONE,) == pins.read_pins(site)
    pins.write_pins(site.pins_file, [replace(ONE, bytes=5)])
    with pytest.raises(ConfigError, match="is not the signature"):
        pins.read_pins(site)
