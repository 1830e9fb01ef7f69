"""Keys that lie in files of their own, so that no settings file holds one. It does not log them."""

import os
from pathlib import Path

from voiced.config.environment import credentials_dir
from voiced.errors import ConfigError

_NONE = b"none"
"""What the unit gives as a credential where the file that it is made from is not there."""


def credential(name: str) -> Path | None:
    """The unit's credential; None: this is no unit, or it has none of that name."""
    directory = credentials_dir()
    path = None if directory is None else directory / name
    if path is None or not path.is_file() or path.read_bytes().strip() == _NONE:
        return None
    return path


def readable(path: Path) -> Path | None:
    """The path where this user may read it; the daemon's may not even look into root's folder."""
    return path if os.access(path, os.R_OK) else None


def first_line(path: Path, key: str) -> str:
    """A secret in a file, which the setting `key` names. Raises ConfigError, without the secret."""
    try:
        secret = path.read_text("ascii").split("\n", 1)[0].strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{key} = '{path}': cannot be read ({type(error).__name__})") from None
    if not secret.isprintable() or not secret or " " in secret:
        raise ConfigError(f"{key} = '{path}': its first line is not a key")
    return secret


def whole(path: Path, key: str, least_bytes: int) -> bytes:
    """A secret that is a whole file, without white space around it. Raises ConfigError."""
    try:
        secret = path.expanduser().read_bytes().strip()
    except OSError as error:
        raise ConfigError(f"{key} = '{path}': cannot be read ({error.strerror})") from None
    if len(secret) < least_bytes:
        raise ConfigError(f"{key} = '{path}': write at least {least_bytes} bytes")
    return secret
