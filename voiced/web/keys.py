"""API keys: each has a name and a right, and is kept as its hash, so that no file gives one away.

A key is 32 random bytes, so that its SHA-256 cannot be turned round by guessing. It does not know
passes, which are signed and not kept (`passes`), nor paths (`door`).
"""

import hashlib
import hmac
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import Field

from voiced.config.reader import read
from voiced.config.settings import Http
from voiced.errors import ConfigError

PREFIX = "vk_"

LOOPBACK = ("127.0.0.1", "::1", "localhost")
_SHORTEST = 16
_BYTES = 32


class Right(StrEnum):
    """What a key opens."""

    CALL = "call"
    """Placing and ending calls, and passes for callers' programs."""
    WATCH = "watch"
    """The metrics, and nothing else."""
    ATTEND = "attend"
    """The operator's page: which calls there are, hand-offs that wait, the drain."""
    JOIN = "join"
    """The same, and speaking with callers who were handed off."""
    OPERATE = "operate"
    """Everything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """[[key]] of a file of keys."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")]
    """Whose it is: it stands in the log and in metrics."""
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    """Of the key's characters."""
    right: Right = Right.CALL


@dataclass(frozen=True, slots=True, kw_only=True)
class _File:
    key: tuple[Key, ...] = ()


class Keys:
    """Every key that opens this daemon."""

    def __init__(self, keys: Iterable[Key]) -> None:
        self._keys = tuple(keys)

    def find(self, shown: str) -> Key | None:
        """The key that was shown. Takes as long whichever it is, and when it is none."""
        digest = digested(shown)
        found = [key for key in self._keys if hmac.compare_digest(key.sha256, digest)]
        return found[0] if found else None


def digested(key: str) -> str:
    """What is kept of a key."""
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()


def new() -> str:
    """A key that nobody has."""
    return PREFIX + secrets.token_urlsafe(_BYTES)


def read_keys(http: Http) -> Keys | None:
    """The keys that callers must show one of; None: none is needed. Raises ConfigError.

    Without a key the daemon listens on loopback only, so that no machine answers strangers because
    a line in a file was forgotten.
    """
    found = [*_token(http.token_file), *(in_file(http.keys_file) if http.keys_file else ())]
    if found:
        return Keys(found)
    if http.keys_file is not None:
        raise ConfigError(f"http.keys_file = '{http.keys_file}': no key: make one: voiced token")
    if http.host not in LOOPBACK:
        raise ConfigError(
            f"http.host = {http.host!r}: without http.keys_file or http.token_file only loopback "
            "is allowed: make a key with `voiced token`, or write host = '127.0.0.1'"
        )
    return None


def in_file(path: Path) -> tuple[Key, ...]:
    """The keys of a file, each name once. Raises ConfigError."""
    keys = read(_File, path).key
    names = [key.name for key in keys]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ConfigError(f"{path}: key: name = {twice[0]!r}: write each name once")
    return keys


def _token(path: Path | None) -> Iterable[Key]:
    """The one key that lies in a file as it is, for programs that are given it."""
    if path is None:
        return
    try:
        token = path.expanduser().read_bytes().split(b"\n", 1)[0].strip()
    except OSError as error:
        raise ConfigError(f"http.token_file = '{path}': {error.strerror}") from None
    if len(token) < _SHORTEST:
        raise ConfigError(
            f"http.token_file = '{path}': its first line has under {_SHORTEST} characters"
        )
    yield plain(token)


def plain(token: bytes) -> Key:
    """A key that was written as it is; it opens everything."""
    return Key(name="token", sha256=hashlib.sha256(token).hexdigest(), right=Right.OPERATE)
