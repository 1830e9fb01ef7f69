"""The lines of simulated callers as sound: said by the espeak-ng program, or as tones.

Recordings may be given in the place of the questions, or of what is said over fake replies. It does
not know when they are said.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from voiced.audio import file
from voiced.audio.levels import voiced_span
from voiced.audio.pcm import HEARING_HZ, Pcm
from voiced.bench.call_far import WORDS, pitch_hz, tone
from voiced.bench.call_script import Lines
from voiced.bench.turn_speech import Program, faded, sentence
from voiced.errors import UnavailableError

PAUSE_S = 0.7
_BEHIND_S = 0.4
_VOICES = {"en": ("en-us", "en-us+f2", "en-gb"), "ko": ("ko", "ko+f2")}
_QUESTIONS = {
    "en": (
        "When can I visit my father today?",
        "Where can I park my car?",
        "Is the emergency room open at night?",
        "Can I make an appointment with a doctor?",
    ),
    "ko": ("면회 시간이 언제예요?", "주차는 어디에 하나요?", "응급실은 밤에도 열려 있어요?"),
}
_UNFINISHED = {"en": "I would like to book | an appointment.", "ko": "예약을 | 하고 싶어요."}
_STOP = {"en": "Stop, wait a moment.", "ko": "잠깐만요, 그만하세요."}
_NO = {"en": "No.", "ko": "아뇨."}
_MURMUR = {"en": "Right, okay.", "ko": "네, 네."}

_TONE_HZ = 220.0
_QUESTION_S, _HALF_S, _STOP_S, _NO_S, _MURMUR_S = 1.4, 1.0, 0.7, 0.15, 0.45
"""Long as `call_far` reads them."""
_OVER = HEARING_HZ * 3 // 2
"""Samples that a recorded person says over a reply."""


def tones() -> Lines:
    """For fake models."""

    def said(seconds: float) -> Pcm:
        return tone(_TONE_HZ, seconds, HEARING_HZ)

    unfinished = np.concatenate([said(_HALF_S), _silence(PAUSE_S), said(_HALF_S)])
    pitches = tuple(pitch_hz(word) for word in range(len(WORDS)))
    over = (said(_STOP_S),), said(_NO_S), said(_MURMUR_S)
    return Lines((said(_QUESTION_S),), unfinished, *over, pitches)


def talked_over(lines: Lines, recordings: Sequence[Path]) -> Lines:
    """The same before fake models, over whose replies people speak who were recorded: one a round,
    no longer than it takes to cut a reply."""
    stops = [_trimmed(_trimmed(file.read(path, HEARING_HZ))[:_OVER]) for path in recordings]
    return replace(lines, stops=tuple(stops), pitches_hz=tones().pitches_hz)


async def spoken(language: str, recordings: Sequence[Path] = ()) -> Lines:
    """For a site's models. Raises UnavailableError where there is no such language here."""
    if language not in _VOICES:
        raise UnavailableError(f"bench call: no caller speaks {language!r}: write en or ko")
    voices = [Program(voice) for voice in _VOICES[language]]
    questions = [_trimmed(file.read(path, HEARING_HZ)) for path in recordings] or [
        _trimmed((await voices[number % len(voices)].say(sentence(text)))[0])
        for number, text in enumerate(_QUESTIONS[language])
    ]
    begun, ended = await voices[0].say(sentence(_UNFINISHED[language]))
    return Lines(
        tuple(questions),
        np.concatenate([_trimmed(begun), _silence(PAUSE_S - _BEHIND_S), _trimmed(ended)]),
        (_trimmed((await voices[0].say(sentence(_STOP[language])))[0]),),
        _trimmed((await voices[0].say(sentence(_NO[language])))[0]),
        _trimmed((await voices[0].say(sentence(_MURMUR[language])))[0]),
    )


def noisy(lines: Lines, ratio_db: float) -> Lines:
    """The same beside a hiss that is so much softer than each line."""
    return Lines(
        tuple(_hissing(pcm, ratio_db) for pcm in lines.questions),
        _hissing(lines.unfinished, ratio_db),
        tuple(_hissing(pcm, ratio_db) for pcm in lines.stops),
        _hissing(lines.no, ratio_db),
        _hissing(lines.murmur, ratio_db),
        lines.pitches_hz,
    )


def _hissing(pcm: Pcm, ratio_db: float) -> Pcm:
    loudness = float(np.sqrt(np.mean(np.square(pcm[pcm != 0], dtype=np.float64))))
    hiss = np.random.default_rng(1).normal(0.0, loudness * 10 ** (-ratio_db / 20), len(pcm))
    return np.clip(pcm + hiss, -32768, 32767).astype(np.int16)


def _silence(seconds: float) -> Pcm:
    return np.zeros(int(seconds * HEARING_HZ), np.int16)


def _trimmed(pcm: Pcm) -> Pcm:
    """From the first voiced sample to the last, the 50 ms in which a voice dies away, and silence.

    Without silence nothing tells what is voice: softer sounds at the end of a word would be taken
    for the noise of the line.
    """
    span = voiced_span(pcm, HEARING_HZ)
    if span is None:
        return pcm
    voiced = faded(pcm[span.first : span.last + HEARING_HZ // 20])
    return np.concatenate([voiced, _silence(_BEHIND_S)])
