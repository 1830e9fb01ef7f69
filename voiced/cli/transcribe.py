"""`voiced transcribe FILE`: what the ears would hear, faster than real time.

The recording goes through detector, endpoint delay, recogniser and gate, each with the settings of
a live call, and every turn gets the same lead-in and tail. It does not know who speaks.
"""

import argparse
import asyncio
import json
from pathlib import Path
from typing import Any

import numpy as np

from voiced.audio import file
from voiced.audio.pcm import HEARING_HZ, Pcm
from voiced.call.hearing import TAIL
from voiced.catalog.store import Store, open_store
from voiced.cli.options import Verbs, add_config, settings_of
from voiced.config.settings import Settings
from voiced.errors import UnavailableError
from voiced.flow.cancel import Live, Take, Ticket
from voiced.stt import whisper, windows
from voiced.stt.gate import Rejection, judge
from voiced.stt.model import Utterance
from voiced.vad import silero
from voiced.vad.recording import Passage, passages


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
    found = asyncio.run(_listen(pcm, args.lang, settings))
    if args.json:
        print(json.dumps(found, ensure_ascii=False))
        return 0
    for turn in found["turns"]:
        print(f"{_seconds(turn)}  {turn['text']}")
    for rejected in found["rejected"]:
        print(f"{_seconds(rejected)}  no turn: {rejected['reason']}")
    return 0


Row = dict[str, str | int]


async def _listen(pcm: Pcm, language: str, settings: Settings) -> dict[str, list[Row]]:
    store = open_store(settings.models)
    profile = store.catalog.profile(settings.models.profile)
    known = windows.read(store.model(profile.stt).facts).languages
    if language not in known:
        raise UnavailableError(f"--lang {language}: {profile.stt} has: {', '.join(known)}")
    detector = silero.load(*_model(store, profile.vad))
    turns = list(passages(pcm, detector, settings.vad, settings.turn.endpoint_delay_ms))
    found: dict[str, list[Row]] = {"turns": [], "rejected": []}
    if not turns:
        return found
    stt = whisper.load(*_model(store, profile.stt), settings.stt)
    lead = settings.vad.preroll_ms * HEARING_HZ // 1000
    try:
        for turn in turns:
            utterance = Utterance(cut(pcm, turn, lead), language, voiced_s=turn.voiced_s)
            heard = await stt.transcribe(utterance, Ticket("file", Take(0, 0), Live()))
            verdict = judge(heard, utterance, [language])
            span: Row = {"start_ms": _ms(turn.start), "end_ms": _ms(turn.stop)}
            if isinstance(verdict, Rejection):
                found["rejected"].append({"reason": verdict.reason, **span})
            else:
                delay = _ms(turn.decided - turn.stop)
                extra: Row = {"endpoint_delay_ms": delay, "lang": language}
                found["turns"].append({"text": verdict.reveal(), **span, **extra})
    finally:
        stt.close()
    return found


def cut(pcm: Pcm, turn: Passage, lead: int) -> Pcm:
    """The turn with its lead-in and tail; silence where the recording has none."""
    start, stop = max(turn.start - lead, 0), turn.stop + TAIL
    return np.pad(pcm[start:stop], (0, max(stop - len(pcm), 0)))


def _model(store: Store, name: str) -> tuple[Path, dict[str, Any]]:
    """What every engine is loaded from."""
    return store.directory_of(name), store.model(name).facts


def _ms(samples: int) -> int:
    return samples * 1000 // HEARING_HZ


def _seconds(row: Row) -> str:
    return f"{int(row['start_ms']) / 1000:8.2f} - {int(row['end_ms']) / 1000:.2f} s"
