"""From which of the encoder's shorter windows on a language is read as well as in the full one.

Each recording is read in the full window and in the shorter ones that hold it. All windows from the
shortest on are tried together, each recording in the one that a call would choose; while that reads
worse, the shortest is left out. All together, since single readings differ both ways. Pure: it does
not know the model.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from voiced.stt.windows import FULL_S, SPARE_S

TRIED_S = (8, 9, 10, 12, 14, 16, 18, 20, 24)
"""Below 8 s the stock weights lose the thread whatever the sound."""

LEAST = 3
"""Recordings that the shortest window is judged by, at least."""

_WORSE = 0.005
"""Of the letters: so many more may be wrong than in the full window. One always may."""

_ASTRAY = 0.1
"""Of the recordings: so many may have to be read again, in the full window."""

_FASTER = 1.5
"""Than the fastest who was recorded, a caller may speak."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One recording in one window; what went astray there, as the full one has it."""

    wrong: int
    """Letters to change."""
    astray: bool


@dataclass(frozen=True, slots=True)
class Recording:
    """One recording in all windows that hold it, the full one among them."""

    seconds: float
    letters: int
    """Of what was said."""
    tokens: int
    """Of what was read in the full window."""
    by_window: dict[int, Reading]

    def chosen(self, windows: Sequence[int]) -> int:
        """The window that a call would choose of these."""
        return next((one for one in windows if one >= self.seconds + SPARE_S), FULL_S)


@dataclass(frozen=True, slots=True)
class Judged:
    """Windows that were tried together."""

    windows: tuple[int, ...]
    recordings: int
    letters: int
    wrong: int
    wrong_full: int
    """The same in the full window alone."""
    astray: int
    taken: bool


def judged(recordings: Sequence[Recording]) -> list[Judged]:
    """What was tried, until something was taken; nothing longer than was recorded."""
    longest_s = max(one.seconds for one in recordings) + SPARE_S
    windows = [one for one in TRIED_S if one < longest_s]
    windows += [one for one in TRIED_S if one >= longest_s][:1]
    found: list[Judged] = []
    for first in range(len(windows)):
        found.append(_judged(tuple(windows[first:]), recordings))
        if found[-1].taken:
            break
    return found


def windows_of(found: Sequence[Judged]) -> list[int]:
    """Those that were taken, for the catalogue; none: the full window alone."""
    return next(([*one.windows, FULL_S] for one in found if one.taken), [])


def pace_of(recordings: Sequence[Recording]) -> int | None:
    """The most tokens in a second of speech, with room; None: nothing was read as it should be."""
    paces = [
        one.tokens / one.seconds
        for one in recordings
        if one.seconds >= 1.0 and not one.by_window[FULL_S].astray
    ]
    return math.ceil(_FASTER * max(paces)) if paces else None


def _judged(windows: tuple[int, ...], recordings: Sequence[Recording]) -> Judged:
    chosen = [one.chosen(windows) for one in recordings]
    short = [one.by_window[window] for one, window in zip(recordings, chosen, strict=True)]
    full = [one.by_window[FULL_S] for one in recordings]
    letters = sum(one.letters for one in recordings)
    wrong, wrong_full = (sum(one.wrong for one in side) for side in (short, full))
    astray, astray_full = (sum(one.astray for one in side) for side in (short, full))
    taken = (
        chosen.count(windows[0]) >= LEAST
        and wrong <= wrong_full + max(_WORSE * letters, 1)
        and astray <= astray_full + _ASTRAY * len(recordings)
    )
    return Judged(windows, len(recordings), letters, wrong, wrong_full, astray, taken)
