"""The site's own token: one bearer token from a file, or loopback only.

It does not know what the token allows, nor the passes of callers' programs.
"""

import hmac
from pathlib import Path

from aiohttp import web

from voiced.config.settings import Http
from voiced.errors import ConfigError, Refused

_LOOPBACK = ("127.0.0.1", "::1", "localhost")


def read_token(http: Http) -> bytes | None:
    """The token that callers must show; None: none is needed. Raises ConfigError.

    Without a token the daemon listens on loopback only, so that no machine answers strangers
    because a line in a file was forgotten.
    """
    if http.token_file is None:
        if http.host not in _LOOPBACK:
            raise ConfigError(
                f"http.host = {http.host!r}: without http.token_file only loopback is allowed: "
                "write a token_file, or host = '127.0.0.1'"
            )
        return None
    return _first_line(http.token_file)


def check(request: web.Request, token: bytes | None) -> None:
    """Raises Refused (401) unless the request shows the token."""
    if token is None:
        return
    found = shown(request).encode("utf-8", "surrogateescape")  # as aiohttp decoded it
    if not hmac.compare_digest(found, token):
        raise Refused(401, "unauthorized", "show the right token: Authorization: Bearer ...")


def shown(request: web.Request) -> str:
    """The bearer token that a request shows; empty where it shows none."""
    scheme, _, rest = request.headers.get("Authorization", "").partition(" ")
    return rest.strip() if scheme.lower() == "bearer" else ""


def _first_line(path: Path) -> bytes:
    try:
        token = path.expanduser().read_bytes().split(b"\n", 1)[0].strip()
    except OSError as error:
        raise ConfigError(f"http.token_file = '{path}': {error.strerror}") from None
    if len(token) < 16:
        raise ConfigError(f"http.token_file = '{path}': its first line has under 16 characters")
    return token
