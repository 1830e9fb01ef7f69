"""How many threads a step uses: one, unless all of them are clearly faster just now.

A step meets at hundreds of barriers. While another engine keeps a core busy, each of them waits for
a thread that does not run, and one thread alone is two to three times as fast as two; on a quiet
machine two are twice as fast, except for a step of one token, which only waits for memory. Which
of it holds is learned from the steps themselves. It does not know what a step computes.
"""

from dataclasses import dataclass, field

_GAIN = 0.9
"""All threads must take less than this share of what one takes: the others have work too."""

_TRIAL = 3
"""Steps in a row with the other choice: the first of them still has to wake the threads."""

_SOON = 16
_RARELY = 256
"""Steps between two trials: few after a change, and four times as many whenever a trial has
confirmed the choice. A trial is a slow step for those who speak."""

_LEARNING = 0.2
_LEARNING_IN_TRIAL = 0.5
"""How much of what a step shows is believed: one step that was disturbed must not change the
choice, two may; a trial has three."""


class Threads:
    """Learns from one engine's steps; one thread."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._sizes: dict[int, _Choice] = {}

    def choose(self, tokens: int) -> int:
        """For a step of so many tokens."""
        every = self._sizes.setdefault(_size(tokens), _Choice()).next()
        return self._most if every else 1

    def learn(self, tokens: int, threads: int, took_s: float) -> None:
        """A step took so long."""
        self._sizes.setdefault(_size(tokens), _Choice()).learn(threads > 1, took_s / tokens)


@dataclass(slots=True)
class _Choice:
    """For steps of one size: all threads, or one."""

    every: bool = True
    token_s: dict[bool, float] = field(default_factory=dict)
    """Seconds a token, with all threads and with one."""
    left: int = _TRIAL
    """Steps until the next trial; below zero during one."""
    between: int = _SOON

    def next(self) -> bool:
        if self.left == -_TRIAL:
            self.left = self.between
            self.between = min(4 * self.between, _RARELY)
        self.left -= 1
        return self.every != (self.left < 0)

    def learn(self, every: bool, token_s: float) -> None:
        known = self.token_s.get(every, token_s)
        believed = _LEARNING if every is self.every else _LEARNING_IN_TRIAL
        self.token_s[every] = known + believed * (token_s - known)
        if len(self.token_s) == 2:
            better = self.token_s[True] < _GAIN * self.token_s[False]
            if better is not self.every:
                self.every, self.left, self.between = better, _SOON, _SOON


def _size(tokens: int) -> int:
    """1, 2, 4, 8 ...: steps of one size cost about as much a token."""
    return min(1 << (tokens - 1).bit_length(), 64)
