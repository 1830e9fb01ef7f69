"""`voiced transcribe FILE`: what the ears would hear, faster than real time.

The recording goes through detector, endpointing, recogniser and gate, each with the settings of a
live call. The language model is not asked whether the caller is done: words that end like a
sentence count as sure, others as unsure. It does not know who speaks.
"""

import argparse
import asyncio
import json
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from voiced.audio import file
from voiced.audio.pcm import HEARING_HZ, Pcm
from voiced.catalog.store import Store, open_store
from voiced.cli.options import Verbs, add_config, settings_of
from voiced.config.settings import Settings, TurnPace
from voiced.errors import UnavailableError
from voiced.flow.cancel import Live, Take, Ticket
from voiced.stt import whisper, windows
from voiced.stt.gate import Rejection, judge
from voiced.stt.model import SpeechToText, Utterance
from voiced.turn.endpoint import SURE, UNSURE, Evidence, wait_s
from voiced.vad import silero
from voiced.vad.recording import Stretch, stretches
from voiced.words import NOTHING, Words

_TAIL = HEARING_HZ // 5
"""200 ms behind the last voiced sample, as in a live call."""

_SENTENCE_ENDS = (".", "?", "!", "\u3002", "\uff1f", "\uff01")

Row = dict[str, str | int]


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of the recording."""

    spoken: tuple[Stretch, ...]
    verdict: Words | Rejection
    wait: int
    """Samples of silence after the last voiced one that ended it."""


def add(verbs: Verbs) -> None:
    """The verb and its options."""
    parser = verbs.add_parser("transcribe", help="what the ears would hear")
    parser.add_argument("file", type=Path, metavar="FILE", help="WAV, FLAC, OGG or MP3")
    add_config(parser)
    parser.add_argument("--lang", default="en", metavar="LANGUAGE", help="two letters")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")


def run(args: argparse.Namespace) -> int:
    """0; raises VoicedError for the dispatcher."""
    settings = settings_of(args)
    pcm = file.read(args.file, HEARING_HZ)
    turns = asyncio.run(_listen(pcm, args.lang, settings))
    heard = [_row(turn, args.lang) for turn in turns if isinstance(turn.verdict, Words)]
    rejected = [_row(turn, args.lang) for turn in turns if isinstance(turn.verdict, Rejection)]
    if args.json:
        print(json.dumps({"turns": heard, "rejected": rejected}, ensure_ascii=False))
        return 0
    for row in heard:
        print(f"{_seconds(row)}  {row['text']}")
    for row in rejected:
        print(f"{_seconds(row)}  no turn: {row['reason']}")
    return 0


async def _listen(pcm: Pcm, language: str, settings: Settings) -> list[Turn]:
    store = open_store(settings.models)
    profile = store.catalog.profile(settings.models.profile)
    known = windows.read(store.model(profile.stt).facts).languages
    if language not in known:
        raise UnavailableError(f"--lang {language}: {profile.stt} has: {', '.join(known)}")
    detector = silero.load(*_model(store, profile.vad))
    spoken = list(stretches(pcm, detector, settings.vad))
    if not spoken:
        return []
    stt = whisper.load(*_model(store, profile.stt), settings.stt)
    try:
        reader = Ears(pcm, language, stt, settings.vad.preroll_ms * HEARING_HZ // 1000)
        return [turn async for turn in turns(spoken, reader, settings.turn)]
    finally:
        stt.close()


class Ears:
    """Reads parts of one recording."""

    def __init__(self, pcm: Pcm, language: str, stt: SpeechToText, lead: int) -> None:
        """`lead`: samples before the first voiced one that the recogniser gets too."""
        self._pcm = pcm
        self._language = language
        self._stt = stt
        self._lead = lead

    async def read(self, spoken: Iterable[Stretch]) -> Words | Rejection:
        """What was said in these stretches, which are one turn."""
        spoken = tuple(spoken)
        voiced_s = sum(stretch.voiced_s for stretch in spoken)
        utterance = Utterance(cut(self._pcm, spoken, self._lead), self._language, (), voiced_s)
        heard = await self._stt.transcribe(utterance, Ticket("file", Take(0, 0), Live()))
        return judge(heard, utterance, [self._language])


async def turns(spoken: Iterable[Stretch], ears: Ears, pace: TurnPace) -> AsyncIterator[Turn]:
    """Joins stretches into turns: a pause ends one when it outlasts what the words ask for."""
    now: tuple[Stretch, ...] = ()
    verdict: Words | Rejection = NOTHING
    wait = 0
    for stretch in spoken:
        if now and stretch.start >= now[-1].stop + wait:
            yield Turn(now, verdict, wait)
            now = ()
        now = (*now, stretch)
        verdict = await ears.read(now)
        wait = int(_wait_s(verdict, pace) * HEARING_HZ)
    if now:
        yield Turn(now, verdict, wait)


def cut(pcm: Pcm, spoken: Iterable[Stretch], lead: int) -> Pcm:
    """The stretches with lead-in and tail, joined; what lies far between them is left out.

    Where the recording has no sound to lead in or out, there is silence: a word that begins with
    the first sample is often misread.
    """
    pcm = np.pad(pcm, (lead, _TAIL))
    parts: list[tuple[int, int]] = []
    for stretch in spoken:
        start, stop = stretch.start, stretch.stop + lead + _TAIL  # in padded samples
        if parts and start <= parts[-1][1]:
            start = parts.pop()[0]
        parts.append((start, stop))
    return np.concatenate([pcm[start:stop] for start, stop in parts])


def _wait_s(verdict: Words | Rejection, pace: TurnPace) -> float:
    words = verdict if isinstance(verdict, Words) else NOTHING
    done = words.reveal().endswith(_SENTENCE_ENDS)
    return wait_s(Evidence(words, SURE if done else UNSURE), pace)


def _model(store: Store, name: str) -> tuple[Path, dict[str, Any]]:
    """What every engine is loaded from."""
    return store.directory_of(name), store.model(name).facts


def _row(turn: Turn, language: str) -> Row:
    span: Row = {"start_ms": _ms(turn.spoken[0].start), "end_ms": _ms(turn.spoken[-1].stop)}
    if isinstance(turn.verdict, Rejection):
        return {"reason": turn.verdict.reason, **span}
    delay: Row = {"endpoint_delay_ms": _ms(turn.wait), "lang": language}
    return {"text": turn.verdict.reveal(), **span, **delay}


def _ms(samples: int) -> int:
    return samples * 1000 // HEARING_HZ


def _seconds(row: Row) -> str:
    return f"{int(row['start_ms']) / 1000:8.2f} - {int(row['end_ms']) / 1000:.2f} s"
