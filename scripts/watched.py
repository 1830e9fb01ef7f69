"""Runs a command, keeps all that it says in a log, and shows only how far it is.

    watched.py LABEL LOG TOTAL COMMAND...

Progress is read off the command's own lines: `[12/387]` as ninja counts, or one for each package
that pip collects, TOTAL in all (0: not known). When the command fails, the log's last lines are
shown. It does not know what the command does.
"""

import re
import subprocess
import sys
import time
from pathlib import Path

NINJA = re.compile(r"^\s*\[(\d+)/(\d+)\] ")
PIP = re.compile(r"^\s*Collecting \S+")
LAST_LINES = 25


class Line:
    """The one line that shows how far it is: written over on a terminal, else now and then."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.terminal = sys.stdout.isatty()
        self.began_at = time.monotonic()
        self.said_at = self.began_at - (0 if self.terminal else 3)

    def show(self, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self.said_at < (0.2 if self.terminal else 10):
            return
        self.said_at = now
        took = now - self.began_at
        left = f", about {spoken(took * (total - done) / done)} left" if total > done > 0 else ""
        of = f" of {total}" if total else ""
        self.write(f"  {self.label}: {done}{of}{left}", end="" if self.terminal else "\n")

    def end(self, how: str) -> None:
        self.write(f"  {self.label}: {how} after {spoken(time.monotonic() - self.began_at)}", "\n")

    def write(self, text: str, end: str) -> None:
        sys.stdout.write(("\r\x1b[K" if self.terminal else "") + text + end)
        sys.stdout.flush()


def spoken(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def watch(label: str, log: Path, total: int, command: list[str]) -> int:
    line, done = Line(label), 0
    with log.open("w", errors="replace") as kept:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
        )
        assert process.stdout is not None
        for said in process.stdout:
            kept.write(said)
            if counted := NINJA.match(said):
                done, total = int(counted[1]), int(counted[2])
                line.show(done, total)
            elif PIP.match(said):
                done += 1
                line.show(done, max(total, done))
        code = process.wait()
    line.end("done" if code == 0 else "failed")
    if code != 0:
        last = log.read_text(errors="replace").splitlines()[-LAST_LINES:]
        print("\n".join(["", *(text[:300] for text in last), "", f"all of it: {log}"]))
    return code


if __name__ == "__main__":
    sys.exit(watch(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]))
