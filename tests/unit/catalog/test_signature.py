"""A catalogue that somebody else wrote is not believed, where the site has named its signer."""

import base64
import shutil
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed448 import Ed448PrivateKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from voiced.catalog.reader import read_catalog
from voiced.config.settings import Models
from voiced.errors import ConfigError

pytestmark = pytest.mark.unit

EXAMPLE = Path(__file__).resolve().parents[3] / "docs/examples/catalog.toml"
PACKAGED = EXAMPLE.parents[2] / "models/catalog.toml"


class Site:
    """A site with a catalogue, a signer, and the signer's public key."""

    def __init__(self, place: Path, catalog: Path = PACKAGED) -> None:
        self.catalog = place / "catalog.toml"
        shutil.copy(catalog, self.catalog)
        self.signer = Ed25519PrivateKey.generate()
        self.key = place / "signer.pem"
        self.key.write_bytes(
            self.signer.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        )
        self.signature = place / "catalog.toml.sig"
        self.sign()

    def sign(self, signer: Ed25519PrivateKey | None = None) -> None:
        signed = (signer or self.signer).sign(self.catalog.read_bytes())
        self.signature.write_bytes(base64.encodebytes(signed))

    @property
    def settings(self) -> Models:
        return Models(catalog=self.catalog, public_key_file=self.key, require_signature=True)


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def test_a_signed_catalogue_is_all_that_there_is(site: Site) -> None:
    """That of the program has the same models here: both together would have each twice."""
    assert read_catalog().models == read_catalog(site.settings).models


def test_a_changed_catalogue_is_refused(site: Site) -> None:
    text = site.catalog.read_text()
    site.catalog.write_text(text.replace('sha256 = "7', 'sha256 = "8', 1))
    assert text != site.catalog.read_text()

    with pytest.raises(ConfigError, match=r"catalog.toml.sig is not the signature"):
        read_catalog(site.settings)


def test_somebody_elses_signature_is_refused(site: Site) -> None:
    site.sign(Ed25519PrivateKey.generate())

    with pytest.raises(ConfigError, match="is not the signature"):
        read_catalog(site.settings)


@pytest.mark.parametrize("written", ["", "rubbish", "AAAA"])
def test_what_is_no_signature_is_refused(site: Site, written: str) -> None:
    site.signature.write_text(written)

    with pytest.raises(ConfigError, match="is not the signature"):
        read_catalog(site.settings)


def test_a_signature_that_is_missing_is_named(site: Site) -> None:
    site.signature.unlink()

    with pytest.raises(ConfigError, match=r"catalog.toml.sig: No such file"):
        read_catalog(site.settings)


def test_a_key_of_another_kind_is_refused(site: Site) -> None:
    other = Ed448PrivateKey.generate().public_key()
    site.key.write_bytes(other.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))

    with pytest.raises(ConfigError, match="Ed25519"):
        read_catalog(site.settings)


@pytest.mark.parametrize("kept", ["catalog", "public_key_file"])
def test_a_signature_without_a_catalogue_or_a_key_is_a_contradiction(site: Site, kept: str) -> None:
    named = {kept: getattr(site.settings, kept)}

    with pytest.raises(ConfigError, match=r"models.require_signature = true: write"):
        read_catalog(Models(require_signature=True, **named))


def test_a_named_key_is_used_also_where_none_is_asked_for(tmp_path: Path) -> None:
    """Then the program's own models are there as well, and the site's are the signer's."""
    site = Site(tmp_path, EXAMPLE)
    settings = Models(catalog=site.catalog, public_key_file=site.key)
    assert set(read_catalog().profiles) < set(read_catalog(settings).profiles)
    site.catalog.write_text(site.catalog.read_text() + "\n")

    with pytest.raises(ConfigError, match="is not the signature"):
        read_catalog(settings)
