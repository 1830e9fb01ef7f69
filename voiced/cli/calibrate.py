"""`voiced calibrate`: which short windows a recogniser reads a language in as well as in the full
one, written into the catalogue that has the recogniser.

It does not know how recordings are read (`bench.windows`), nor by which rule a window is taken
(`stt.calibration`).
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from voiced.bench.options import BenchOptions
from voiced.bench.windows import clips_of, measured
from voiced.catalog.facts import write_facts
from voiced.catalog.reader import catalog_with
from voiced.catalog.store import open_store
from voiced.cli.bench import SPEECH
from voiced.cli.options import Verbs, add_config, settings_of
from voiced.config.settings import Settings
from voiced.stt import windows
from voiced.stt.calibration import Judged, Recording, judged, pace_of, windows_of
from voiced.stt.reader import Reader
from voiced.stt.vocabulary import Vocabulary


def add(verbs: Verbs) -> None:
    """The verb and its options."""
    parser = verbs.add_parser("calibrate", help="which short windows a recogniser may use")
    parser.add_argument("--lang", required=True, metavar="LANGUAGE", help="two letters")
    parser.add_argument("--model", metavar="NAME", help="a recogniser; without it the profile's")
    parser.add_argument(
        "--speech", type=Path, default=SPEECH, metavar="DIR", help="recorded speech"
    )
    parser.add_argument("--dry-run", action="store_true", help="write nothing")
    add_config(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")


def run(args: argparse.Namespace) -> int:
    """0. Raises VoicedError for the dispatcher."""
    settings = settings_of(args)
    store = open_store(settings.models)
    name = args.model or store.catalog.profile(settings.models.profile).stt
    recordings = _recordings(args.speech, args.lang, name, settings)
    found = judged(recordings)
    taken, pace = windows_of(found), pace_of(recordings)
    catalog = catalog_with(name, settings.models)
    if not args.dry_run:
        paces = {} if pace is None else {args.lang: pace}
        write_facts(catalog, name, {"window_s": {args.lang: taken}, "tokens_per_s": paces})
    if args.json:
        rows = [asdict(one) for one in found]
        told = {"model": name, "window_s": taken, "tokens_per_s": pace, "windows": rows}
        print(json.dumps(told))
        return 0
    _show(found)
    print(f"{name}, {args.lang}: window_s = {taken}, tokens_per_s = {pace}")
    if not args.dry_run:
        print(f"written to {catalog}")
        if settings.models.public_key_file is not None:
            print("it must be signed again")
    return 0


def _recordings(speech: Path, language: str, name: str, settings: Settings) -> list[Recording]:
    clips = clips_of(BenchOptions(settings=settings, speech=speech).speech_dir(), language)
    store = open_store(settings.models)
    directory, facts = store.directory_of(name), windows.read(store.model(name).facts)
    reader = Reader(directory, facts, settings.stt.threads, settings.stt.device)
    return list(measured(reader, Vocabulary(directory / "tokenizer.json"), clips, language))


def _show(found: Sequence[Judged]) -> None:
    print("letters  wrong  in the full one  astray  windows")
    for one in found:
        print(
            f"{one.letters:7}  {one.wrong:5}  {one.wrong_full:15}  {one.astray:6}"
            f"  {', '.join(map(str, one.windows))}: {'taken' if one.taken else 'not taken'}"
        )
