"""Keys that a caller presses, put together: a number is over at #, or when nothing follows.

It does not know what the number is for.
"""

import asyncio
from collections.abc import Callable

from voiced.words import NOTHING, Words, joined

PATIENCE_S = 2.0
"""After the last key: people read numbers from a card."""

LONGEST = 32
"""Keys; whoever presses more has leant on them."""

END = "#"


class Dialling:
    """One call's. Main loop only."""

    def __init__(self, dialled: Callable[[Words], None]) -> None:
        self._dialled = dialled
        self._keys: list[Words] = []
        self._waiting: asyncio.TimerHandle | None = None

    def press(self, key: Words) -> None:
        """One more key; `dialled` is told of all of them once they are a number."""
        self.close()
        ends = key.reveal() == END and bool(self._keys)
        if not ends:
            self._keys.append(key)
        if ends or len(self._keys) >= LONGEST:
            self._over()
        else:
            self._waiting = asyncio.get_running_loop().call_later(PATIENCE_S, self._over)

    def close(self) -> None:
        """Nothing is waited for any more."""
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _over(self) -> None:
        keys, self._keys = self._keys, []
        self._dialled(joined(keys, "") if keys else NOTHING)
