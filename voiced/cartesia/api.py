"""What all messages of the vendor's API share: who asks, and what went wrong. Pure.

What the server says about an error is not kept: it may quote what was spoken. It does not know
sound or text.
"""

import json
from typing import Any, TypeAlias
from urllib.parse import urlsplit, urlunsplit

Message: TypeAlias = dict[str, Any]
"""A JSON object."""

_BUSY = 429
_REFUSALS = {401: "key refused", 402: "licence refused", 403: "key refused", _BUSY: "busy"}


class Garbled(Exception):
    """A message that is not one of the protocol's. Its content stays behind."""


def headers(key: str, version: str) -> dict[str, str]:
    """What every request carries. Old servers want X-API-Key, new ones a bearer token: both."""
    own = {"Cartesia-Version": version}
    if key:
        own |= {"Authorization": f"Bearer {key}", "X-API-Key": key}
    return own


def socket_url(url: str, path: str) -> str:
    """Of a WebSocket of the API server at `url`, as safe as that. `path` may have a query."""
    parts = urlsplit(url)
    scheme = "wss" if parts.scheme == "https" else "ws"
    path, _, query = path.partition("?")
    return urlunsplit((scheme, parts.netloc, parts.path.rstrip("/") + path, query, ""))


def message(raw: str | bytes) -> Message:
    """What the server sent. Raises Garbled."""
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        raise Garbled from None
    if not isinstance(found, dict):
        raise Garbled
    return found


def status(error: Message) -> int:
    """Of an error, in all its shapes: a status, a code that means one, or neither."""
    if error.get("error_code") in ("concurrency_limited", "rate_limited"):
        return _BUSY
    for key in ("status_code", "code"):
        found = error.get(key)
        if isinstance(found, int):
            return found
    return 500


def reason_of(status: int) -> str:
    """A status as a static reason."""
    return _REFUSALS.get(status, "failed" if status >= 500 else "refused")
