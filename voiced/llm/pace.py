"""How many tokens of prompt fit into a chunk: learned from the steps, asked in milliseconds.

It does not know what the tokens are.
"""

SHARED_S = 0.06
"""A step while another call is at work, its next token and the chunk beside it: the longest that it
may wait for the token behind."""

ALONE_S = 0.2
"""A chunk while nobody else is: what a call that comes now may wait."""

SMALLEST = 4
"""Tokens: a prompt must move on, even where so many take longer than a step may."""

AIM = 0.7
"""Of the time that a step may take: steps with as many tokens differ by a third."""

_DEARER = 0.5
_CHEAPER = 0.2
"""How much of what a step shows is believed. A prompt's tokens grow dearer as it grows longer, so
what is dearer than thought is believed sooner."""


class Pace:
    """A step takes what its next tokens take, and so much for each token of prompt."""

    def __init__(self, step_s: float, token_s: float) -> None:
        """`step_s`: a step with one next token; `token_s`: one token of prompt more."""
        self._step_s = {0: 0.0, 1: step_s}
        """Seconds of a step by how many calls speak in it."""
        self._token_s = {False: token_s, True: token_s}
        """Seconds of a token of prompt, alone in a step and beside calls that speak."""

    def chunk(self, speaking: int, *, others: bool) -> int:
        """Tokens of prompt for the next step, beside `speaking` next tokens.

        Where these alone fill the step, as on a machine that is too busy, the chunk may take as
        long again: else a prompt would hardly move on, and its own caller would wait for minutes.
        """
        spoken_s = self._spoken_s(speaking)
        room_s = max(AIM * (SHARED_S if others else ALONE_S) - spoken_s, spoken_s)
        return max(SMALLEST, round(room_s / self._token_s[speaking > 0]))

    def learn(self, speaking: int, chunk: int, took_s: float) -> None:
        """A step with so many next tokens, and so many of prompts, took so long."""
        if chunk >= SMALLEST:
            token_s = max(took_s - self._spoken_s(speaking), 1e-6) / chunk
            known_s = self._token_s[speaking > 0]
            believed = _DEARER if token_s > known_s else _CHEAPER
            self._token_s[speaking > 0] = known_s + believed * (token_s - known_s)
        elif chunk == 0:
            known_s = self._spoken_s(speaking)
            self._step_s[speaking] = known_s + _CHEAPER * (took_s - known_s)

    def _spoken_s(self, speaking: int) -> float:
        """The nearest number of calls that was seen; more take no less."""
        return self._step_s[max(known for known in self._step_s if known <= speaking)]
