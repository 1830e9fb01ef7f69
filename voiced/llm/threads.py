"""How many threads a step uses: one, unless all of them are clearly faster just now.

A step meets at hundreds of barriers. While another engine keeps a core busy, each of them waits for
a thread that does not run, and one thread alone is two to three times as fast as two; on a quiet
machine two are twice as fast, except for a step of one token, which only waits for memory. Which
of it holds is learned from the steps themselves. It does not know what a step computes.
"""

_GAIN = 0.9
"""All threads must take less than this share of what one takes: the others have work too."""

_LEARNING = 0.5
_EVERY = 64
_TRIAL = 4
"""Of 64 steps of a size the first four try the other choice: the first of them still has to wake
the threads, so one alone would tell nothing."""


class Threads:
    """Learns from one engine's steps; one thread."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._token_s: dict[tuple[int, bool], float] = {}
        """Seconds a token by size of the step, and whether all threads were used."""
        self._steps: dict[int, int] = {}

    def choose(self, tokens: int) -> int:
        """For a step of so many tokens."""
        size = _size(tokens)
        count = self._steps.get(size, 0)
        self._steps[size] = count + 1
        return self._most if self._better(size) != (count % _EVERY < _TRIAL) else 1

    def learn(self, tokens: int, threads: int, took_s: float) -> None:
        """A step took so long."""
        key = (_size(tokens), threads > 1)
        known = self._token_s.get(key, took_s / tokens)
        self._token_s[key] = known + _LEARNING * (took_s / tokens - known)

    def _better(self, size: int) -> bool:
        """All threads are better, as far as is known."""
        one, every = self._token_s.get((size, False)), self._token_s.get((size, True))
        return one is None or every is None or every < one * _GAIN


def _size(tokens: int) -> int:
    """1, 2, 4, 8 ...: steps of one size cost about as much a token."""
    return min(1 << (tokens - 1).bit_length(), 64)
