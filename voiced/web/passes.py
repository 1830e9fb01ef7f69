"""Passes: short-lived tokens that let a caller's program place calls, and do nothing else.

    ek_ <claims, base64url JSON> . <HMAC-SHA256 of them, base64url>

They are signed, not stored: whoever has the key can check one. Without a key file the key is made
at start, so that a restart ends every pass. It does not know routes.
"""

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from voiced import clock
from voiced.config.secret import whole
from voiced.errors import Refused

PREFIX = "ek_"
SHORTEST_S = 10
LONGEST_S = 7_200
USUAL_S = 600

_KEY_BYTES = 32
_LONGEST = 1024


@dataclass(frozen=True, slots=True)
class Pass:
    """What a pass allows."""

    agent: str | None
    """The one agent that its calls reach; None: whichever the caller names."""
    expires_at: int
    """Seconds of Unix time."""
    name: str
    """Random; the same in no two passes."""


def read_key(path: Path | None) -> bytes:
    """The key in a file, the same for every node that shares it; a new one without a file.

    Raises ConfigError when the file cannot be read, or has under 32 bytes.
    """
    if path is None:
        return secrets.token_bytes(_KEY_BYTES)
    return whole(path, "http.pass_key_file", _KEY_BYTES)


class Passes:
    """Issues and checks. Main loop only; `wall` tells the date."""

    def __init__(self, key: bytes, wall: Callable[[], datetime] = clock.wall) -> None:
        self._key = key
        self._wall = wall

    def issue(self, agent: str | None, seconds: int) -> tuple[str, Pass]:
        """A new pass and its claims."""
        expires_at = int(self._wall().timestamp()) + seconds
        name = secrets.token_hex(8)
        claims = {"agent": agent, "exp": expires_at, "jti": name}
        body = _encoded(json.dumps(claims, separators=(",", ":")).encode())
        return f"{PREFIX}{body}.{self._signature(body)}", Pass(agent, expires_at, name)

    def check(self, shown: str) -> Pass:
        """What a pass allows. Raises Refused (401) for one that is forged, spoilt or expired."""
        body, _, signature = shown.removeprefix(PREFIX).partition(".")
        right = self._signature(body) if len(shown) <= _LONGEST and shown.isascii() else ""
        if not right or not hmac.compare_digest(signature.encode(), right.encode()):
            raise Refused(401, "unauthorized", "this client token is not one of this server's")
        claims = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
        if claims["exp"] <= self._wall().timestamp():
            raise Refused(401, "expired", "this client token has expired: ask for a new one")
        return Pass(claims["agent"], claims["exp"], claims["jti"])

    def _signature(self, body: str) -> str:
        return _encoded(hmac.digest(self._key, body.encode(), hashlib.sha256))


def _encoded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
