"""Reads the chain from the disk: checked line by line, whatever it is read for.

It appends nothing and needs no lock: what a daemon appends meanwhile is read or not. It does not
know what makes a chain whole (`verdict`).
"""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass

from voiced.audit.chain import Record
from voiced.audit.folder import Folder
from voiced.audit.verdict import Checker, Fault


@dataclass(frozen=True, slots=True)
class Line:
    """A record as it stands in the files."""

    record: Record
    raw: bytes


class Reading:
    """One walk through the chain; `checker` tells how it was, once the walk is over."""

    def __init__(self, folder: Folder, witnessed: Mapping[int, str]) -> None:
        self.checker = Checker(folder.head(), witnessed)
        self._folder = folder

    def __iter__(self) -> Iterator[Line]:
        """Every record whose seal is right. Raises ConfigError: a file's key is not here."""
        with ExitStack() as files:
            opened = [
                (files.enter_context(one.path.open("rb")), self._folder.keys.of(one.key, one.path))
                for one in self._folder.segments()
            ]
            for lines, key in opened:
                for raw in lines:
                    record = self.checker.take(raw, key)
                    if record is not None:
                        yield Line(record, raw)
        self.checker.end()


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a walk through the whole chain has shown."""

    fault: Fault | None
    first: int
    last: int
    """Numbers of the first and the last record; 0: there is none."""
    piece_bytes: int
    """What an interrupted append has left, which the next one will describe."""


def verified(folder: Folder, witnessed: Mapping[int, str]) -> Verdict:
    """Is it whole? Raises ConfigError, OSError."""
    reading = Reading(folder, witnessed)
    for _line in reading:
        pass
    found = reading.checker
    return Verdict(found.fault, found.first, found.last.number, found.piece_bytes)
