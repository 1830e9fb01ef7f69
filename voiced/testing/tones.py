"""Words as tones: which caller speaks, and what shall go wrong with the answer, as one frequency.

A caller hums a code, the daemon of straw reads it off the sound, and its agent hums it back: so
what a caller hears says whose answer it is. Pure; it does not know calls.
"""

import re
from collections.abc import Iterator
from enum import IntEnum

import numpy as np

from voiced.audio.pcm import Pcm


class Fault(IntEnum):
    """What goes wrong with the answer to a question."""

    NONE = 0
    STT_RAISES = 1
    STT_HANGS = 2
    LLM_RAISES = 3
    LLM_HANGS = 4
    VOICE_RAISES = 5
    TOOL_HANGS = 6
    VOICE_CRAWLS = 7


CALLERS = 24
_WIDE = len(Fault) + 2
"""Codes of one caller, with a gap on either side: a bad line bends a tone by a code, no further."""

CODES = CALLERS * _WIDE
LINE_HZ = 330.0
"""The hum of every fixed line, which answers no question."""

MARK_S = 0.5
"""How long the mark of a call is hummed behind what a real voice says."""

LINE_MARK = 15
"""The mark that is behind every fixed line; those of calls are below it."""

_FIRST_MARK_HZ, _MARK_STEP_HZ = 1700.0, 140.0
"""Above the harmonics that speech holds for long, and further apart than a bad line bends them."""

_PURE = 0.6
"""Share of the power within a few hertz: no speech has it for three pieces, a hum has."""

_FIRST_HZ, _STEP_HZ = 500.0, 15.0
_BINS = 4096
"""Four hertz each at 16 kHz."""

_PIECE_S = 0.1
_SURE = 3
"""Pieces in a row that say the same: a codec that makes up for a lost packet hums anything."""

_LOUD = 500.0
_SYLLABLES = ("ba", "de", "fi", "go", "ku", "la", "me", "ni", "po", "ru")
_WORD = re.compile(f"\\b(?:{'|'.join(_SYLLABLES)}){{3}}\\b")


def code_of(caller: int, fault: Fault) -> int:
    """What a caller hums."""
    return caller * _WIDE + 1 + fault


def caller_of(code: int) -> int:
    """Who hums it."""
    return code // _WIDE


def fault_of(code: int) -> Fault:
    """What is to go wrong; nothing where a tone was bent into a gap."""
    number = code % _WIDE - 1
    return Fault(number) if 0 <= number < len(Fault) else Fault.NONE


def hum(hz: float, seconds: float, rate: int) -> Pcm:
    """A tone without clicks at its ends."""
    at = np.arange(int(seconds * rate)) / rate
    swell = np.minimum(1.0, np.minimum(at, seconds - at) / 0.01).clip(0.0)
    tone: Pcm = (6000 * swell * np.sin(2 * np.pi * hz * at)).astype(np.int16)
    return tone


def hertz(code: int) -> float:
    """The frequency of a code."""
    return _FIRST_HZ + code * _STEP_HZ


def word(code: int) -> str:
    """A code as a word that no rule of spoken forms touches."""
    return "".join(_SYLLABLES[int(digit)] for digit in f"{code:03}")


def read(text: str) -> int | None:
    """The last code that a text names."""
    found = _WORD.findall(text)
    if not found:
        return None
    syllables = re.findall("..", found[-1])
    return int("".join(str(_SYLLABLES.index(one)) for one in syllables))


def loudest_hz(pcm: Pcm, rate: int) -> float:
    """The frequency that a stretch of sound hums."""
    size = max(len(pcm), _BINS)
    spectrum = np.abs(np.fft.rfft(pcm * np.hanning(len(pcm)), size))
    return float(np.argmax(spectrum)) * rate / size


def said(pcm: Pcm, rate: int) -> int | None:
    """The code that a whole utterance hums, whatever was lost of it; None where it hums none."""
    code = round((loudest_hz(pcm, rate) - _FIRST_HZ) / _STEP_HZ)
    return code if 0 <= code < CODES else None


def heard(pcm: Pcm, rate: int) -> list[int | None]:
    """What was hummed, one after the other: codes, and None for a fixed line."""
    said: list[int | None] = []
    run: list[int | None] = []
    for piece in _pieces(pcm, rate):
        if not run or run[-1] != piece:
            run.clear()
        run.append(piece)
        if len(run) == _SURE and piece != -1 and (not said or said[-1] != piece):
            said.append(piece)
    return said


def _pieces(pcm: Pcm, rate: int) -> Iterator[int | None]:
    """A code, None for a line, -1 for silence and for what is neither."""
    size = int(_PIECE_S * rate)
    for begin in range(0, len(pcm) - size + 1, size):
        piece = pcm[begin : begin + size]
        if np.sqrt(np.mean(piece.astype(np.float64) ** 2)) < _LOUD:
            yield -1
            continue
        hz = loudest_hz(piece, rate)
        code = round((hz - _FIRST_HZ) / _STEP_HZ)
        if abs(hz - LINE_HZ) < 2 * _STEP_HZ:
            yield None
        else:
            yield code if 0 <= code < CODES else -1


def mark_of(call: str) -> int:
    """Of a call, by its name."""
    return int(call, 16) % LINE_MARK


def mark_hz(mark: int) -> float:
    """The frequency of a mark."""
    return _FIRST_MARK_HZ + mark * _MARK_STEP_HZ


def marks_in(pcm: Pcm, rate: int) -> set[int]:
    """The marks that are hummed in speech."""
    found: set[int] = set()
    run: list[int | None] = []
    for begin in range(0, len(pcm) - int(_PIECE_S * rate) + 1, int(_PIECE_S * rate)):
        mark = _mark(pcm[begin : begin + int(_PIECE_S * rate)], rate)
        run = [*run, mark] if mark is not None and run[-1:] == [mark] else [mark]
        if len(run) >= _SURE and mark is not None:
            found.add(mark)
    return found


def _mark(piece: Pcm, rate: int) -> int | None:
    if np.sqrt(np.mean(piece.astype(np.float64) ** 2)) < _LOUD:
        return None
    power = np.abs(np.fft.rfft(piece * np.hanning(len(piece)), _BINS)) ** 2
    peak = int(np.argmax(power))
    mark = round((peak * rate / _BINS - _FIRST_MARK_HZ) / _MARK_STEP_HZ)
    pure = power[max(peak - 6, 0) : peak + 7].sum() > _PURE * power.sum()
    return mark if pure and 0 <= mark <= LINE_MARK else None
