"""What was kept of one call: a file of sealed parts, appended one by one.

    [length][kind][nonce][ciphertext, tag] [length][kind]...

Each part is authenticated with its call, its number and the tag of the part before it, so that none
can be changed, moved, left out or taken from another call. A part that was being written when the
machine stopped is the last one, and is passed over; one that the index knows of must be there. It
does not know what a part means.
"""

import os
import secrets
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from voiced.errors import Damaged
from voiced.vault import files

_HEAD = struct.Struct(">IB12s")
_TAG_BYTES = 16
_FIRST = bytes(_TAG_BYTES)
_LARGEST = 1 << 28
"""Bytes of a part: a length beyond that is no length."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part, opened."""

    kind: int
    content: bytes


class Sealer:
    """Writes the parts of one call. One thread."""

    def __init__(self, path: Path, call: str, key: bytes) -> None:
        """Makes the file. Raises OSError."""
        self.parts = 0
        self._call = call
        self._cipher = AESGCM(key)
        self._before = _FIRST
        self._bytes = 0
        self._descriptor = files.create(path)

    def add(self, kind: int, content: bytes) -> None:
        """A part, on the disk when this returns. Raises OSError; nothing of the part is left."""
        nonce = secrets.token_bytes(12)
        bound = _bound(self._call, self.parts, kind, self._before)
        sealed = self._cipher.encrypt(nonce, content, bound)
        record = _HEAD.pack(len(sealed), kind, nonce) + sealed
        try:
            files.write(self._descriptor, record)
            os.fdatasync(self._descriptor)
        except OSError:
            os.ftruncate(self._descriptor, self._bytes)
            raise
        self._bytes += len(record)
        self._before = sealed[-_TAG_BYTES:]
        self.parts += 1

    def close(self) -> None:
        os.close(self._descriptor)


def parts(path: Path, call: str, key: bytes, known: int) -> Iterator[Part]:
    """The parts of a call, in order; the index knows of so many.

    Raises Damaged when one of those is not there as it was written.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        content = b""
    cipher, before, place, number = AESGCM(key), _FIRST, 0, 0
    while (record := _record(content, place)) is not None:
        kind, nonce, sealed = record
        try:
            opened = cipher.decrypt(nonce, sealed, _bound(call, number, kind, before))
        except InvalidTag:
            break
        yield Part(kind, opened)
        before, number = sealed[-_TAG_BYTES:], number + 1
        place += _HEAD.size + len(sealed)
    if number < known:
        raise Damaged(
            f"vault: call {call}: part {number + 1} of {known} is missing or was changed: "
            "what follows it cannot be read; restore the call from a backup"
        )


def _record(content: bytes, place: int) -> tuple[int, bytes, bytes] | None:
    """Kind, nonce and sealed content of a record; None where no whole one begins."""
    if len(content) - place < _HEAD.size:
        return None
    length, kind, nonce = _HEAD.unpack_from(content, place)
    begin = place + _HEAD.size
    if not _TAG_BYTES <= length <= _LARGEST or len(content) - begin < length:
        return None
    return kind, nonce, content[begin : begin + length]


def _bound(call: str, number: int, kind: int, before: bytes) -> bytes:
    """What a part is authenticated with beside its content."""
    return b"voiced part 1 " + call.encode() + struct.pack(">QB", number, kind) + before
