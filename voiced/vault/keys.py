"""The site's key, and the key of each call, which is wrapped by it.

    site key ──HKDF(call)──> wrapping key ──AES key wrap──> the call's own key ──> its parts

A call's key is bound to its call: under another name it does not unwrap. The site key's file may
have older keys below the present one, so that a new key comes into force before the last call is
rewrapped. It does not know where wrapped keys lie.
"""

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.keywrap import (
    InvalidUnwrap,
    aes_key_unwrap,
    aes_key_wrap,
)

from voiced.config.secret import credential, readable
from voiced.config.settings import Vault
from voiced.errors import ConfigError, Damaged, UnavailableError

CREDENTIAL = "vault-key"
USUAL = Path("/etc/voiced/secrets/vault-key")
"""Where the unit takes the credential from; root's own commands read it there."""

KEY_BYTES = 32
_ID_BYTES = 8
_WRAPPED_BYTES = _ID_BYTES + KEY_BYTES + 8


@dataclass(frozen=True, slots=True)
class SiteKey:
    """One key of the site's."""

    name: str
    """Which key it is, in 16 hexadecimal digits that tell nothing of it."""
    secret: bytes = field(repr=False)

    @classmethod
    def of(cls, secret: bytes) -> "SiteKey":
        return cls(_derived(secret, b"voiced vault name", _ID_BYTES).hex(), secret)


class SiteKeys:
    """The present key, which wraps, and older ones, which only open."""

    def __init__(self, keys: Sequence[SiteKey]) -> None:
        self.present = keys[0]
        self._keys = {key.name: key for key in keys}

    def wrap(self, call: str, key: bytes) -> bytes:
        """A call's key as it may lie on a disk."""
        wrapping = _wrapping(self.present, call)
        return bytes.fromhex(self.present.name) + aes_key_wrap(wrapping, key)

    def unwrap(self, call: str, wrapped: bytes) -> bytes:
        """Raises Damaged, or UnavailableError when none of the keys here has wrapped it."""
        if len(wrapped) != _WRAPPED_BYTES:
            raise Damaged(f"vault: the key of call {call} is damaged: restore it from a backup")
        site = self._keys.get(wrapped_by(wrapped))
        if site is None:
            raise UnavailableError(
                f"vault: the key of call {call} was wrapped by site key {wrapped_by(wrapped)}, and "
                f"here are {', '.join(self._keys)}: put that one below them in the key file"
            )
        try:
            return aes_key_unwrap(_wrapping(site, call), wrapped[_ID_BYTES:])
        except InvalidUnwrap:
            raise Damaged(
                f"vault: the key of call {call} is damaged: restore it from a backup"
            ) from None


def wrapped_by(wrapped: bytes) -> str:
    """The name of the site key that wrapped a call's key."""
    return wrapped[:_ID_BYTES].hex()


def site_keys(settings: Vault) -> SiteKeys | None:
    """The site's keys; None: it has none. Raises ConfigError."""
    path = credential(CREDENTIAL) or settings.key_file or readable(USUAL)
    return None if path is None else read_site_keys(path)


def read_site_keys(path: Path, key: str = "vault.key_file") -> SiteKeys:
    """The keys in a file, a line each in base64, the present one first. Raises ConfigError."""
    try:
        lines = path.read_text("ascii").split()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{key} = '{path}': cannot be read ({type(error).__name__})") from None
    keys = [_decoded(line) for line in lines]
    whole = [secret for secret in keys if secret is not None and len(secret) == KEY_BYTES]
    if not whole or len(whole) != len(keys):
        raise ConfigError(
            f"{key} = '{path}': every line must be a key, 32 random bytes in base64: "
            "openssl rand -base64 32"
        )
    return SiteKeys([SiteKey.of(secret) for secret in whole])


def _decoded(line: str) -> bytes | None:
    try:
        return base64.b64decode(line, validate=True)
    except binascii.Error:
        return None


def _wrapping(site: SiteKey, call: str) -> bytes:
    return _derived(site.secret, b"voiced vault wrap " + call.encode(), KEY_BYTES)


def _derived(secret: bytes, purpose: bytes, length: int) -> bytes:
    return HKDF(SHA256(), length, salt=None, info=purpose).derive(secret)
