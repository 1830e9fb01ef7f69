"""Whether a catalogue is what its signer wrote: Ed25519, detached, in base64 beside the file.

    catalog.toml        catalog.toml.sig

It does not know what a catalogue says. Who has the private key is the site's matter; the daemon has
the public one.
"""

import base64
from pathlib import Path

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from voiced.errors import ConfigError


def check(path: Path, public_key_file: Path) -> None:
    """Raises ConfigError unless the key's owner has signed the file as it is."""
    key = _key(public_key_file)
    beside = path.with_name(path.name + ".sig")
    try:
        key.verify(base64.b64decode(_bytes(beside, "models.catalog")), path.read_bytes())
    except (InvalidSignature, ValueError):
        raise ConfigError(
            f"{path}: {beside.name} is not the signature of this file by the key in "
            f"{public_key_file}: ask whoever signs, and open nothing of it"
        ) from None
    except OSError as error:
        raise ConfigError(f"models.catalog = '{path}': {error.strerror}") from None


def _key(path: Path) -> Ed25519PublicKey:
    try:
        key = load_pem_public_key(_bytes(path, "models.public_key_file"))
    except (ValueError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PublicKey):
        raise ConfigError(
            f"models.public_key_file = '{path}': write a public key of Ed25519 as PEM, as "
            "`openssl pkey -pubout` does"
        )
    return key


def _bytes(path: Path, key: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{key}: {path}: {error.strerror}") from None
