"""How many tokens of prompt fit into a chunk: learned from the steps, asked in milliseconds.

It does not know what the tokens are.
"""

from collections.abc import Sequence

SHARED_S = 0.06
"""A chunk while another call is at work: what its next token may be late."""

ALONE_S = 0.2
"""A chunk while nobody else is: what a call that comes now may wait."""

SMALLEST = 16
"""Tokens: a chunk below this costs nearly as much, and a prompt must move on."""

_LEARNING = 0.2


class Pace:
    """Steps take a + b * tokens seconds; both are learned."""

    def __init__(self, base_s: float = 0.01, token_s: float = 0.001) -> None:
        self._base_s = base_s
        self._token_s = token_s

    def chunk(self, speaking: int, *, others: bool) -> int:
        """Tokens of prompt for the next step, beside `speaking` next tokens."""
        room_s = (SHARED_S if others else ALONE_S) - self._base_s
        return max(SMALLEST, int(room_s / self._token_s) - speaking)

    def learn(self, runs: Sequence[int], took_s: float) -> None:
        """A step with runs of so many tokens took so long."""
        tokens = sum(runs)
        if tokens >= SMALLEST:
            token_s = max(took_s - self._base_s, 1e-6) / tokens
            self._token_s += _LEARNING * (token_s - self._token_s)
        elif tokens == 1:
            self._base_s += _LEARNING * (took_s - self._base_s)
