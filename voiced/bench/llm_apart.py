"""A baseline of `voiced bench llm` in a process of its own.

    python -m voiced.bench.llm_apart Shared MODEL.gguf 2 4096     a line of JSON in, a line out

All that computes with OpenMP in one process shares its runtime, and that stops letting threads
wait awake once it has more of them than there are cores: sides in one process would slow each
other down even while they rest.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from voiced.bench.llm_sides import Prompts, Shared, Side, Slots
from voiced.errors import EngineFailed, UnavailableError

_SIDES: dict[str, type[Shared | Slots]] = {side.__name__: side for side in (Shared, Slots)}


class Apart:
    """See `llm_sides.Side`."""

    def __init__(self, side: type[Shared | Slots], path: Path, *sizes: int) -> None:
        """`path`, `sizes`: what the side takes. Raises UnavailableError as it does."""
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__, side.__name__, str(path), *map(str, sizes)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        if missing := self._told():
            self.close()
            raise UnavailableError(missing)

    def ttft_ms(self, before: Prompts, prompts: Prompts) -> float:
        return float(self._ask(before=before, prompts=prompts))

    def rate(self, prompts: Prompts, *, together: bool) -> float:
        return float(self._ask(prompts=prompts, together=together))

    def close(self) -> None:
        self._process.communicate()

    def _ask(self, **question: object) -> Any:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        return self._told()

    def _told(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise EngineFailed("llm", "the baseline's process has ended")
        return json.loads(line)


def _main(name: str, path: str, *sizes: str) -> None:
    """Answers until the questions end; the first line says what is missing."""
    with os.fdopen(os.dup(1), "w", buffering=1) as answers:
        os.dup2(2, 1)  # what the libraries print is no answer
        try:
            side: Side = _SIDES[name](Path(path), *map(int, sizes))
        except UnavailableError as error:
            answers.write(json.dumps(str(error)) + "\n")
            return
        answers.write('""\n')
        for line in sys.stdin:
            question = json.loads(line)
            ask = side.ttft_ms if "before" in question else side.rate
            answers.write(json.dumps(ask(**question)) + "\n")
        side.close()


if __name__ == "__main__":
    _main(*sys.argv[1:])
