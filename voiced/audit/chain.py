"""One record after the other, each sealed over the one before it. Pure: bytes in, bytes out.

    {"n":7,"at":"...","event":"call.opened",...,"prev":"<mac of 6>","mac":"<seal>"}

The seal is HMAC-SHA256 over all that stands before it in the line. So nobody without the key can
change a line, or put one in; and a line that was taken out, moved or repeated is missed by the one
that follows. That the *last* lines are gone, only a sealed head tells, which is kept elsewhere.

It does not know files (`folder`), nor what is recorded (`entries`).
"""

import hashlib
import hmac
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from voiced.audit.entries import Entry, values

OWN = ("n", "at", "event", "prev", "mac")
"""Fields that every record has."""

_SEALED = re.compile(rb'(?s)(\{"n":\d.*),"mac":"([0-9a-f]{64})"\}')


@dataclass(frozen=True, slots=True)
class Head:
    """The last record of a chain: its number and its seal."""

    number: int
    mac: str


START = Head(0, "0" * 64)
"""Before the first record."""


@dataclass(frozen=True, slots=True)
class Record:
    """A line whose seal is right."""

    number: int
    at: str
    event: str
    prev: str
    mac: str
    values: Mapping[str, Any]

    @property
    def head(self) -> Head:
        return Head(self.number, self.mac)


class Key:
    """Seals, and knows its own seals. It shows nothing of the key but a print of it."""

    __slots__ = ("_key", "name")

    def __init__(self, key: bytes) -> None:
        self._key = key
        self.name = self._seal(b"name")[:8]
        """Tells one key from another; nothing of the key can be read from it."""

    def record(self, head: Head, at: str, entry: Entry) -> tuple[bytes, Head]:
        """The line that follows a head, and the new head."""
        number = head.number + 1
        fields = {"n": number, "at": at, "event": entry.EVENT, **values(entry), "prev": head.mac}
        body = json.dumps(fields, separators=(",", ":"))[:-1].encode()
        mac = self._seal(b"record" + body)
        return body + b',"mac":"' + mac.encode() + b'"}\n', Head(number, mac)

    def read(self, line: bytes) -> Record | None:
        """The record in a line, without its line feed; None: this key has not sealed it."""
        found = _SEALED.fullmatch(line)
        if found is None:
            return None
        body, mac = found.groups()
        if not hmac.compare_digest(mac.decode(), self._seal(b"record" + body)):
            return None
        fields = json.loads(body + b"}")
        own = {name: fields.pop(name) for name in OWN if name != "mac"}
        return Record(own["n"], own["at"], own["event"], own["prev"], mac.decode(), fields)

    def head(self, head: Head) -> bytes:
        """A head as it is kept beside the chain."""
        fields = {"n": head.number, "mac": head.mac, "seal": self._of_head(head)}
        return json.dumps(fields).encode() + b"\n"

    def read_head(self, kept: bytes) -> Head | None:
        """The head that was kept; None: this key has not sealed it."""
        try:
            fields = json.loads(kept)
            head, seal = Head(int(fields["n"]), str(fields["mac"])), str(fields["seal"])
        except (ValueError, KeyError, TypeError):
            return None
        return head if hmac.compare_digest(seal, self._of_head(head)) else None

    def _of_head(self, head: Head) -> str:
        return self._seal(f"head{head.number}:{head.mac}".encode())

    def _seal(self, what: bytes) -> str:
        return hmac.digest(self._key, what, hashlib.sha256).hex()


def torn(piece: bytes) -> tuple[int, str]:
    """How an interrupted append is described in the record that closes it: bytes, SHA-256."""
    return len(piece), hashlib.sha256(piece).hexdigest()
