"""What a step of the model is made of, and what the scheduler needs of the engine below it.

It does not know llama.cpp: `native` is one engine, and the tests have another.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from voiced.config.agent import Sampling

Mask = npt.NDArray[np.bool_]
"""For each token of the vocabulary whether it may be drawn."""


@dataclass(frozen=True, slots=True)
class Run:
    """Consecutive tokens of one sequence in one step."""

    sequence: int
    start: int
    """Position of the first token: how many the sequence's cache holds before it."""
    tokens: Sequence[int]
    output: bool
    """What follows the last token is wanted."""


class Sampler(Protocol):
    """Draws tokens for one reply; its random state is its own."""

    def draw(self, output: int) -> int:
        """The token after the `output`-th wanting run of the last step. Raises EngineFailed."""
        ...

    def close(self) -> None: ...


class FreeSampler(Sampler, Protocol):
    """Draws any token, unless it is told which ones it may."""

    def draw(self, output: int, allowed: Mask | None = None) -> int:
        """See `Sampler.draw`; among those `allowed`."""
        ...


State = Any
"""A saved cache; only the engine that made it knows what is in it."""


class Engine(Protocol):
    """One context: sequences with their caches. Called by one thread only."""

    @property
    def batch_tokens(self) -> int:
        """Tokens that one step may hold."""
        ...

    def decode(self, runs: Sequence[Run]) -> None:
        """Evaluates all runs in one step. Raises EngineFailed; the runs' caches are then void."""
        ...

    def sampler(self, sampling: Sampling) -> FreeSampler: ...

    def probability(self, output: int, tokens: Collection[int]) -> float:
        """Probability that one of `tokens` follows the `output`-th wanting run of the last step."""
        ...

    def cut(self, sequence: int, length: int) -> None:
        """Keeps the first `length` tokens of a sequence's cache."""
        ...

    def save(self, sequence: int) -> State:
        """A copy of a sequence's cache, in ordinary memory."""
        ...

    def restore(self, sequence: int, state: State) -> None:
        """Makes a sequence's cache what was saved."""
        ...


class Vocabulary(Protocol):
    """Text to tokens and back. Any thread."""

    @property
    def size(self) -> int:
        """How many tokens there are, numbered from 0."""
        ...

    @property
    def begin(self) -> int | None:
        """The token that every prompt of this model begins with."""
        ...

    def tokens(self, text: str, *, special: bool) -> list[int]:
        """`special`: names of control tokens in the text become those tokens. Never for contents
        that a caller, a tool or a list of hotwords had a hand in."""
        ...

    def piece(self, token: int) -> bytes:
        """The token's bytes; a control token has none."""
        ...

    def name(self, token: int) -> str:
        """How a token is written in a template, control tokens too."""
        ...

    def ends(self, token: int) -> bool:
        """The token means that the model is done."""
        ...
