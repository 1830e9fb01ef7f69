"""`voiced bench NAME`: ours and a baseline in turn, as one table or one JSON object.

It does not know what is measured: `voiced.bench.NAME` does, and is imported only when named.
"""

import argparse
import importlib
import json
from pathlib import Path

from voiced.bench.options import BenchOptions, CallOptions
from voiced.cli.options import Verbs, add_config, positive, settings_of, settings_path
from voiced.errors import UnavailableError

NAMES = ("stt", "llm", "tts", "turn", "rtc", "call", "redflag", "gpu")
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
    _add_call(parser)


def _add_call(parser: argparse.ArgumentParser) -> None:
    call = parser.add_argument_group("bench call")
    call.add_argument("--fake-models", action="store_true", help="measure the framework alone")
    call.add_argument("--gate", type=positive, metavar="MS", help="exit 1 above this p95")
    call.add_argument("--growth", action="store_true", help="1, 2, 4 ... callers first")
    call.add_argument("--page", type=Path, metavar="F.html", help="write the report as a page")
    call.add_argument(
        "--audio", type=Path, action="append", default=[], metavar="F.wav", help="a question"
    )
    call.add_argument("--loss", type=float, default=0.0, metavar="PERCENT", help="of the packets")
    call.add_argument("--jitter", type=float, default=0.0, metavar="MS", help="of the packets")
    call.add_argument("--noise", type=float, metavar="DB", help="a hiss, softer than the callers")


def run(args: argparse.Namespace) -> int:
    """0; 1 where a gate was not kept; or a VoicedError for the dispatcher."""
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
    return 0 if result.get("kept", True) else 1


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
        config=settings_path(args),
        call=CallOptions(
            fake_models=args.fake_models,
            gate=args.gate,
            growth=args.growth,
            page=args.page,
            audio=tuple(args.audio),
            loss=args.loss,
            jitter=args.jitter,
            noise=args.noise,
        ),
    )


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return "  ".join(f"{key} {_shown(inner)}" for key, inner in value.items())
    return f"{value:.3f}" if isinstance(value, float) else str(value)
