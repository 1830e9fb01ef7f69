"""How far a pull is, and for how long it will go on: lines for a person.

On a terminal one line is written over; elsewhere a line comes every few seconds. It does not know
what is fetched.
"""

from typing import TextIO

from voiced import clock
from voiced.catalog.npm import Advance

_EVERY_S = 2.0
_BEFORE_ESTIMATE_S = 1.0
_MB = 1_000_000


class Progress:
    """The bytes of one model after another. One thread."""

    def __init__(self, output: TextIO) -> None:
        self._output = output
        self._terminal = output.isatty()
        self._name = ""
        self._total = 0
        self._before = 0
        """Bytes of the files before the present one."""
        self._file = 0
        self._began_at = 0.0
        self._said_at = 0.0

    def begin(self, name: str, total: int) -> None:
        """A model of which `total` bytes are missing; 0: nothing will be said."""
        self._name, self._total, self._before, self._file = name, total, 0, 0
        self._began_at = self._said_at = clock.now()

    def advance_of(self, file_bytes: int) -> Advance:
        """What the fetch of the model's next file calls with the share that it has."""
        self._before += self._file
        self._file = file_bytes
        return lambda share: self._show(self._before + file_bytes * share)

    def end(self) -> None:
        """All of the model is there."""
        if self._total:
            took = clock.now() - self._began_at
            self.say(f"{self._name}: {self._total / _MB:.0f} MB in {took:.0f} s")

    def say(self, sentence: str) -> None:
        """One line of its own."""
        start = "\r\x1b[K" if self._terminal else ""
        self._output.write(f"{start}{sentence}\n")
        self._output.flush()

    def _show(self, done: float) -> None:
        now = clock.now()
        if now - self._said_at < (0.1 if self._terminal else _EVERY_S):
            return
        self._said_at = now
        sentence = (
            f"{self._name}: {done / _MB:.0f} of {self._total / _MB:.0f} MB{self._left(now, done)}"
        )
        if self._terminal:
            self._output.write(f"\r\x1b[K{sentence}")
            self._output.flush()
        else:
            self.say(sentence)

    def _left(self, now: float, done: float) -> str:
        took = now - self._began_at
        if took < _BEFORE_ESTIMATE_S or done <= 0:
            return ""
        return f", about {took * (self._total - done) / done:.0f} s left"
