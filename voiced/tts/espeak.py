"""Phonemes from the espeak-ng program, which runs beside this process and lives as long as it does.

A separate program on two pipes, never linked in: its licence (GPL-3) stays its own. It reads lines
and prints a line of IPA for each clause that it sees in one, without a mark at the end of a
request. So each request is followed by a sentinel: direct phoneme input, a number spelt in t and k
without a vowel, which no text can produce. What comes before it belongs to this request, and to no
other.

It does not know voices, symbols or punctuation.
"""

import os
import re
import select
import subprocess
from typing import Final

from voiced import clock
from voiced.errors import EngineFailed, UnavailableError
from voiced.ops import log

_LINE_BYTES: Final = 600
"""espeak-ng reads at most 1000 bytes of a line at once, and would cut the rest inside a word."""

_COMMANDS = re.compile(r"\[\[|\]\]|[\x00-\x1f\x7f]")
"""Brackets that hold direct phoneme input, and controls, one of which begins embedded commands."""

_START_S: Final = 10.0
_COUNTED: Final = 1 << 16

_FOREIGN = re.compile(r"\([^()\s]*\)")
"""A switch of language, such as `(en)`: espeak-ng names it, nobody says it."""


class Espeak:
    """One espeak-ng process. Used from one thread at a time: that of the voice which owns it."""

    def __init__(
        self, language: str, *, program: str = "espeak-ng", deadline_s: float = 2.0
    ) -> None:
        """`language` is a voice of espeak-ng, such as `en-us`.

        Raises UnavailableError when the program is not there or has no such voice.
        """
        self.restarts = 0
        """How often it had to be started anew."""
        self._command = (program, "-q", "--ipa", "-v", language)
        self._deadline_s = deadline_s
        self._asked = 0
        self._process = self._start()
        try:
            self._exchange("", _START_S)
        except (EngineFailed, OSError):
            self.close()
            raise UnavailableError(
                f"{program}: gives no phonemes for its voice {language!r}: "
                f"see {program} --voices, and espeak.voice in the voice's JSON file"
            ) from None

    @property
    def pid(self) -> int:
        """Number of the process that serves now."""
        return self._process.pid

    def phonemes(self, text: str) -> str:
        """IPA with stress marks of a text without clause marks; words have spaces between them.

        Empty for a text that has nothing to say. Raises EngineFailed when the program was late or
        died twice, UnavailableError when it cannot be started again.
        """
        spoken = [self._ask(line) for line in _lines(text)]
        return " ".join(filter(None, spoken))

    def close(self) -> None:
        """Ends the process. Idempotent."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def _ask(self, line: str) -> str:
        try:
            return self._exchange(line, self._deadline_s)
        except OSError:
            self._restart()
        try:
            return self._exchange(line, self._deadline_s)
        except OSError:
            self._restart()
            raise EngineFailed("tts", "espeak-ng died twice") from None

    def _exchange(self, line: str, deadline_s: float) -> str:
        """Sends a line and reads all that it says. Raises OSError when the process is gone."""
        self._asked = (self._asked + 1) % _COUNTED
        sentinel = _sentinel(self._asked)
        until = clock.now() + deadline_s
        requests, answers = _pipes(self._process)
        os.write(requests, _bytes(f"{line}\n[[{sentinel}]]\n"))
        end = f"\n{sentinel}\n".encode()
        said = b"\n"
        while not said.endswith(end):
            said += self._read(answers, until)
        return _spoken(said[: -len(end)].decode(errors="replace"))

    def _read(self, answers: int, until: float) -> bytes:
        ready, _, _ = select.select([answers], [], [], max(0.0, until - clock.now()))
        if not ready:
            self._restart()  # what it still says must not be taken for the next answer
            raise EngineFailed("tts", "espeak-ng was late")
        read = os.read(answers, 65536)
        if not read:
            raise BrokenPipeError("espeak-ng ended")
        return read

    def _restart(self) -> None:
        self.close()
        self.restarts += 1
        log.warning("espeak.restarted", restarts=self.restarts)
        self._process = self._start()

    def _start(self) -> "subprocess.Popen[bytes]":
        try:
            return subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                process_group=0,  # Ctrl-C in a terminal is for the daemon, which still speaks
            )
        except OSError as error:
            raise UnavailableError(
                f"{self._command[0]}: cannot be started ({error.strerror}): "
                "apt-get install espeak-ng"
            ) from None


def _sentinel(number: int) -> str:
    """`number` in sixteen binary digits, t and k."""
    return f"{number:016b}".replace("0", "t").replace("1", "k")


def _lines(text: str) -> list[str]:
    """The text in lines that espeak-ng reads whole, cut between words; no phoneme input in them."""
    lines, line = [], ""
    for word in _COMMANDS.sub(" ", text).split():
        for piece in _cut(word):
            if line and len(_bytes(line)) + len(_bytes(piece)) >= _LINE_BYTES:
                lines.append(line)
                line = ""
            line = f"{line} {piece}" if line else piece
    return [*lines, line] if line else lines


def _cut(word: str) -> list[str]:
    size = _LINE_BYTES // 4  # no character has more bytes
    return [word[start : start + size] for start in range(0, len(word), size)]


def _spoken(said: str) -> str:
    return " ".join(_FOREIGN.sub("", said).split())


def _bytes(text: str) -> bytes:
    return text.encode(errors="replace")  # half of a pair is no character


def _pipes(process: "subprocess.Popen[bytes]") -> tuple[int, int]:
    if process.stdin is None or process.stdout is None or process.stdin.closed:
        raise BrokenPipeError("espeak-ng is not there")  # it could not be started again
    return process.stdin.fileno(), process.stdout.fileno()
