"""Is the chain whole? Line after line in, and the first thing that is wrong with it out.

    edited, put in      no key has sealed the line
    removed             a number is missing
    moved, repeated     a number comes again, or its record does not follow the one before it
    cut at the end      the sealed head, or a witness, knows a later record
    cut at the start    more is missing than the audit says that it deleted

A piece that an interrupted append left is none of these: the next record describes it, sealed. It
does not know files.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from voiced.audit.chain import START, Head, Key, Record, torn
from voiced.audit.entries import AuditExpired, AuditHeadLost, AuditTorn


@dataclass(frozen=True, slots=True)
class Fault:
    """The first thing that is wrong."""

    number: int
    """The record that it is about."""
    what: str


class Checker:
    """Takes the lines in the order of the files. `fault` is the first that was found."""

    def __init__(self, head: Head | None, witnessed: Mapping[int, str]) -> None:
        """`head`: the sealed head; None: it is not there, or nobody's. `witnessed`: seals of
        records by their number, as the journal saw them."""
        self.fault: Fault | None = None
        self.first = 0
        self.last = START
        self._head = head
        self._witnessed = witnessed
        self._piece = b""
        self._expired = 0

    @property
    def piece_bytes(self) -> int:
        """What an interrupted append left at the end, and no record describes yet."""
        return len(self._piece)

    def take(self, line: bytes, key: Key) -> Record | None:
        """A line with its line feed, where it has one. The record, if it is one."""
        record = key.read(line.removesuffix(b"\n"))
        if record is None:
            self._piece += line
            return None
        self._closing(record)
        self._following(record)
        self._remembered(record)
        self.first = self.first or record.number
        self.last = record.head
        if record.event == AuditExpired.EVENT:
            self._expired = max(self._expired, int(record.values["through"]))
        return record

    def end(self) -> None:
        """There are no more lines."""
        last = self.last.number
        if self._head is None:
            self._wrong(last, "the sealed head is not there, or no key has sealed it")
        elif self._head.number > last:
            self._wrong(last + 1, f"missing, up to the last one, {self._head.number}")
        later = [number for number in self._witnessed if number > last]
        if later:
            self._wrong(last + 1, f"missing, up to {max(later)}, which the journal has seen")
        if self.first > self._expired + 1:
            self._wrong(self._expired + 1, f"missing, up to {self.first - 1}, and never expired")

    def _closing(self, record: Record) -> None:
        """What stood before this record and is none must be what the record describes."""
        piece, self._piece = self._piece, b""
        said = None
        if record.event == AuditTorn.EVENT:
            said = (record.values["bytes"], record.values["sha256"])
        if said != (torn(piece) if piece else None):
            number = self.last.number + 1
            self._wrong(number, "edited, or put in: no key has sealed what stands at its place")

    def _following(self, record: Record) -> None:
        number, last = record.number, self.last
        if not self.first:
            return
        if number > last.number + 1:
            to = f", up to {number - 1}" if number > last.number + 2 else ""
            self._wrong(last.number + 1, f"missing{to}")
        elif number <= last.number:
            self._wrong(number, f"comes after {last.number}: moved, or repeated")
        elif record.prev != last.mac:
            self._wrong(number, f"follows another {last.number} than the one before it")

    def _remembered(self, record: Record) -> None:
        known = {self._witnessed.get(record.number, record.mac)}
        if self._head is not None and self._head.number == record.number:
            known.add(self._head.mac)
        if known != {record.mac}:
            self._wrong(record.number, "is another than the one that was witnessed")
        if record.event == AuditHeadLost.EVENT:
            self._wrong(record.number, "tells that the sealed head had gone when it was written")

    def _wrong(self, number: int, what: str) -> None:
        self.fault = self.fault or Fault(number, what)
