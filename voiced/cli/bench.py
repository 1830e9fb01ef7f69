"""`voiced bench NAME`: ours and a baseline in turn, as one table or one JSON object.

It does not know what is measured: `voiced.bench.NAME` does, and is imported only when named.
"""

import argparse
import importlib
import json
from pathlib import Path

from voiced.bench.options import BenchOptions
from voiced.cli.options import Verbs, add_config, positive, settings_of
from voiced.errors import UnavailableError

NAMES = ("stt", "llm", "tts", "turn", "rtc", "call", "gpu")
SPEECH = Path("../shared/speech")


def add(verbs: Verbs) -> None:
    """The verb and its options."""
    parser = verbs.add_parser("bench", help="measure ours against a baseline")
    parser.add_argument("name", choices=NAMES, help="what is measured")
    add_config(parser)
    parser.add_argument(
        "--speech", type=Path, default=SPEECH, metavar="DIR", help="recorded speech"
    )
    parser.add_argument("--turns", type=Path, metavar="FILE", help="sentences with | at pauses")
    parser.add_argument("--voice", metavar="NAME", help="catalogue name of the voice")
    parser.add_argument(
        "--readback", type=Path, metavar="FILE", help="tts: sentences to be said, and read again"
    )
    parser.add_argument("--lang", metavar="LANGUAGE", help="two letters")
    parser.add_argument("--rounds", type=positive, default=5, metavar="N", help="pairs to measure")
    parser.add_argument("--calls", type=positive, metavar="N", help="calls at once")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")


def run(args: argparse.Namespace) -> int:
    """0, or a VoicedError for the dispatcher."""
    try:
        bench = importlib.import_module(f"voiced.bench.{args.name}")
    except ModuleNotFoundError as error:
        if error.name != f"voiced.bench.{args.name}":
            raise
        raise UnavailableError(f"bench {args.name}: is not part of this version") from None
    result: dict[str, object] = bench.run(_options(args))
    if args.json:
        print(json.dumps(result))
    else:
        print("\n".join(f"{key:32} {_shown(value)}" for key, value in result.items()))
    return 0


def _options(args: argparse.Namespace) -> BenchOptions:
    return BenchOptions(
        settings=settings_of(args),
        speech=args.speech,
        turns=args.turns,
        voice=args.voice,
        language=args.lang,
        readback=args.readback,
        rounds=args.rounds,
        calls=args.calls,
    )


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return "  ".join(f"{key} {_shown(inner)}" for key, inner in value.items())
    return f"{value:.3f}" if isinstance(value, float) else str(value)
