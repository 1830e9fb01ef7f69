"""Callers who think while they speak: sentences with silences put in at their natural pauses.

    text    I would like to book | an appointment
    sound   I would like to book               an appointment
                               ^ start         ^ stop       ^ end      of voice, by energy

A sentence is spoken whole, so nothing in the voice tells that a pause comes, and is cut at the ends
of words. It does not know who listens.
"""

import asyncio
import io
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import soundfile

from voiced.audio.levels import Span, voiced_span
from voiced.audio.pcm import HEARING_HZ, SPEAKING_HZ, Pcm
from voiced.audio.resample import Resampler
from voiced.errors import EngineFailed, UnavailableError
from voiced.flow.cancel import Live, Ticket
from voiced.tts.model import Voice
from voiced.words import Words

SHORTEST_S, LONGEST_S = 0.2, 1.5
"""A pause in the middle of a turn: from voice to voice."""

LEAD_S = 0.6
TAIL_S = 4.0
"""Silence behind a turn: every rule has ended it by then."""

_FADE = HEARING_HZ * 5 // 1000
_ROOM = 33.0
"""Standard deviation of the noise of a quiet room: 60 dB below full scale."""

_BREAK_S = 0.7
_LEAST = HEARING_HZ // 4
"""Samples near zero that may be such a break."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """What a caller says in one turn."""

    text: str
    pauses: tuple[int, ...]
    """Words before each natural pause."""


@dataclass(frozen=True, slots=True)
class Pause:
    """Samples between the last voiced one and the next."""

    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn as it sounds, at HEARING_HZ."""

    pcm: Pcm
    pauses: tuple[Pause, ...]
    end: int
    """One past the last voiced sample."""


class Speaker(Protocol):
    """Says sentences."""

    async def say(self, sentence: Sentence) -> list[Pcm]:
        """The pieces between its pauses, at HEARING_HZ."""
        ...


class Local:
    """A voice that tells its words; everything on the main loop."""

    def __init__(self, voice: Voice) -> None:
        self._voice = voice

    async def say(self, sentence: Sentence) -> list[Pcm]:
        live, stream = Live(), Resampler(SPEAKING_HZ, HEARING_HZ)
        chunks: list[Pcm] = []
        spoken = await self._voice.speak(
            Words(sentence.text),
            lambda pcm: chunks.append(stream.push(pcm)),
            Ticket("bench", live.take, live),
            first=True,
        )
        pcm = np.concatenate([*chunks, stream.end()])
        if len(spoken.word_ends) != len(sentence.text.split()):
            raise EngineFailed("tts", "the voice does not tell when its words are over")
        ends = [int(spoken.word_ends[words - 1] * HEARING_HZ) for words in sentence.pauses]
        return np.split(pcm, [quietest(pcm, end) for end in ends])


class Program:
    """The espeak-ng program, which makes a pause where it is told to."""

    def __init__(self, voice: str) -> None:
        self._command = ("espeak-ng", "-m", "-v", voice, "-s", "135", "--stdin", "--stdout")

    async def say(self, sentence: Sentence) -> list[Pcm]:
        words = sentence.text.split()
        mark = f'<break time="{int(_BREAK_S * 1000)}ms"/>'
        for before in reversed(sentence.pauses):
            words.insert(before, mark)
        said = await asyncio.to_thread(self._said, " ".join(words))
        pcm, hz = soundfile.read(io.BytesIO(said), dtype="int16")
        stream = Resampler(hz, HEARING_HZ)
        pieces = split(np.concatenate([stream.push(pcm), stream.end()]), len(sentence.pauses))
        if len(pieces) != len(sentence.pauses) + 1:
            raise EngineFailed("tts", "espeak-ng made other pauses than it was told to")
        return pieces

    def _said(self, text: str) -> bytes:
        command = self._command
        try:
            return subprocess.run(
                command, input=text.encode(), capture_output=True, check=True
            ).stdout
        except (OSError, subprocess.CalledProcessError):
            raise UnavailableError("espeak-ng: is not there: apt-get install espeak-ng") from None


def read(path: Path) -> list[Sentence]:
    """A sentence a line, `|` at its pauses. Raises UnavailableError."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise UnavailableError(f"{path}: cannot be read ({error.strerror})") from None
    sentences = [sentence(line) for line in lines if line.strip(" |")]
    if not sentences:
        raise UnavailableError(f"{path}: has no sentence: write one a line, with | at its pauses")
    return sentences


def sentence(line: str) -> Sentence:
    """One line of the file."""
    pieces = [piece.split() for piece in line.split("|") if piece.strip()]
    ends = np.cumsum([len(piece) for piece in pieces]).tolist()
    return Sentence(" ".join(word for piece in pieces for word in piece), tuple(ends[:-1]))


def turn(pieces: Sequence[Pcm], seed: int) -> Turn:
    """The pieces with silences of chance length between them, in a quiet room."""
    chance = np.random.default_rng(seed)
    spans = [_voiced(piece) for piece in pieces]
    parts: list[Pcm] = [np.zeros(int(LEAD_S * HEARING_HZ), np.int16)]
    pauses: list[Pause] = []
    voice_end = 0
    for number, (piece, span) in enumerate(zip(pieces, spans, strict=True)):
        begin = sum(len(part) for part in parts)
        if number:
            wanted = int(chance.uniform(SHORTEST_S, LONGEST_S) * HEARING_HZ)
            begin = max(begin, voice_end + wanted - span.first)
            parts.append(np.zeros(begin - sum(len(part) for part in parts), np.int16))
            pauses.append(Pause(voice_end, begin + span.first))
        parts.append(faded(piece))
        voice_end = begin + span.last + 1
    pcm = np.concatenate([*parts, np.zeros(int(TAIL_S * HEARING_HZ), np.int16)])
    room = chance.normal(0, _ROOM, len(pcm))
    return Turn(np.clip(pcm + room, -32768, 32767).astype(np.int16), tuple(pauses), voice_end)


def quietest(pcm: Pcm, at: int) -> int:
    """The quietest 5 ms around a sample: where a word can be cut."""
    reach = HEARING_HZ * 30 // 1000
    starts = range(max(at - reach, 0), max(min(at + reach, len(pcm) - _FADE), 1), _FADE)
    power = [float(np.square(pcm[s : s + _FADE].astype(np.float64)).sum()) for s in starts]
    return starts[int(np.argmin(power))] + _FADE // 2


def split(pcm: Pcm, count: int) -> list[Pcm]:
    """What lies between the longest silences, so many of them."""
    longest = sorted(_silences(pcm), key=lambda edge: edge[0] - edge[1])[:count]
    edges = sorted(longest)
    starts = [0, *(stop for _, stop in edges)]
    stops = [*(start for start, _ in edges), len(pcm)]
    return [pcm[a:b] for a, b in zip(starts, stops, strict=True)]


def faded(pcm: Pcm) -> Pcm:
    """5 ms in and out, so that a cut makes no click."""
    ramp = np.ones(len(pcm))
    width = min(_FADE, len(pcm) // 2)
    ramp[:width] = np.linspace(0, 1, width)
    ramp[len(pcm) - width :] = np.linspace(1, 0, width)
    return (pcm * ramp).astype(np.int16)


def _silences(pcm: Pcm) -> Iterator[tuple[int, int]]:
    """Runs of samples near zero, but not at the beginning or the end."""
    quiet = np.abs(pcm.astype(np.int32)) <= 4
    edges = np.flatnonzero(np.diff(np.concatenate([[False], quiet, [False]]).astype(np.int8)))
    for start, stop in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        if stop - start >= _LEAST and start > 0 and stop < len(pcm):
            yield start, stop


def _voiced(piece: Pcm) -> Span:
    span = voiced_span(piece, HEARING_HZ)
    if span is None:
        raise EngineFailed("tts", "a piece of a sentence without sound")
    return span
