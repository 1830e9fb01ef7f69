"""What a caller who speaks over the agent hears of it, from levels and pitch alone. Pure.

    caller       |first voiced
    agent   ~~~~~~~~~~~~~~~~---------|                   |~~~~~~~~~~~
                 |<-- duck ->|
                 |<---- hold ------->|  silent for 300 ms, or for good: barge-in

It does not know what was decided.
"""

from collections.abc import Sequence
from itertools import groupby

import numpy as np

from voiced.audio.levels import AUDIBLE_DB, WINDOW_S
from voiced.audio.pcm import HEARING_HZ, Pcm
from voiced.testing.ear import Heard

SILENT_S = 0.3
"""A shorter silence is one between words."""

_SOFTER_DB = 6.0
_BEFORE_S = 0.25
_CHUNK = HEARING_HZ // 50
_SHORTEST = 3
"""Chunks in a row that make a word: what is cut at an edge has the pitch of neither."""


def silent_after(heard: Heard, at: float) -> float | None:
    """From when on the agent is silent for SILENT_S; None where it was silent at `at` already, or
    never is. Instants are those of the sound."""
    loud = heard.at[heard.db > AUDIBLE_DB]
    before, after = loud[loud < at], loud[loud >= at]
    if not len(before) or at - before[-1] > _BEFORE_S or not len(after):
        return None
    steps = np.diff(after, append=np.inf)
    last = int(np.argmax(steps >= SILENT_S))
    if not np.isfinite(steps[last]) and heard.at[-1] - after[last] < SILENT_S:
        return None
    return float(after[last]) + WINDOW_S


def softer_after(heard: Heard, at: float) -> float | None:
    """From when on the agent's sound, which was steady, is softer."""
    before = heard.db[(heard.at >= at - _BEFORE_S) & (heard.at < at)]
    if not len(before) or np.median(before) <= AUDIBLE_DB:
        return None
    soft = heard.db < np.median(before) - _SOFTER_DB
    for index in np.flatnonzero((heard.at >= at) & soft):
        if soft[index : index + 3].sum() == 3:
            return float(heard.at[index])
    return None


def words_in(pcm: Pcm, pitches_hz: Sequence[float]) -> list[int]:
    """The tones that were heard, by their numbers, each run of one as often as it was begun.

    A silence in a tone does not end it; so a word that a hold has cut in two is one.
    """
    numbers = [number for chunk in _chunks(pcm) if (number := _tone(chunk, pitches_hz)) is not None]
    runs = [(number, sum(1 for _ in run)) for number, run in groupby(numbers)]
    lasting = [number for number, length in runs if length >= _SHORTEST]
    return [number for number, _ in groupby(lasting)]


def audible_s(heard: Heard) -> float:
    """How long something was to be heard."""
    return float(np.count_nonzero(heard.db > AUDIBLE_DB) * WINDOW_S)


def _chunks(pcm: Pcm) -> list[Pcm]:
    return [pcm[at : at + _CHUNK] for at in range(0, len(pcm) - _CHUNK + 1, _CHUNK)]


def _tone(chunk: Pcm, pitches_hz: Sequence[float]) -> int | None:
    """The number of the loudest pitch; None for silence."""
    if np.sqrt(np.mean(np.square(chunk, dtype=np.float64))) < 32768 * 10 ** (AUDIBLE_DB / 20):
        return None
    window = chunk * np.hanning(len(chunk))
    spectrum = np.abs(np.fft.rfft(window, 8 * len(chunk)))
    loudest = float(np.argmax(spectrum)) * HEARING_HZ / (8 * len(chunk))
    return int(np.argmin(np.abs(np.asarray(pitches_hz) - loudest)))
