"""`voiced call URL`: places a call, plays recordings into it, and measures the answers."""

import argparse
import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from voiced.cli.options import Verbs, add_access, tls_of, token_of


def add(verbs: Verbs) -> None:
    parser = verbs.add_parser(
        "call",
        help="place a call and play recordings into it",
        description="Places a WebRTC call to a daemon and plays recordings at real-time pace, each "
        "after 600 ms of agent silence or at its --at. Times come from the caller's own audio.",
    )
    parser.add_argument("url", help="such as http://127.0.0.1:8080/v1/realtime/calls, or .../whip")
    parser.add_argument(
        "--audio", type=Path, action="append", default=[], metavar="F.wav", help="once for each"
    )
    parser.add_argument(
        "--at",
        type=float,
        nargs="+",
        action="extend",
        default=[],
        metavar="SECONDS",
        help="when each recording begins, counted from the connection",
    )
    parser.add_argument("--record", type=Path, metavar="R.wav", help="what the caller hears")
    add_access(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")


def run(args: argparse.Namespace) -> int:
    report = asyncio.run(_place(args))
    if args.json:
        print(json.dumps(report, ensure_ascii=False))
    else:
        _show(report)
    return 0 if all(turn["voice_to_voice_ms"] is not None for turn in report["turns"]) else 1


async def _place(args: argparse.Namespace) -> dict[str, Any]:
    from voiced.testing.caller import Caller
    from voiced.testing.exchange import HttpExchange
    from voiced.testing.script import converse

    caller = Caller(args.url, exchange=HttpExchange(args.url, token_of(args), tls_of(args)))
    report = await converse(caller, args.audio, args.at)
    if args.record is not None:
        caller.record(args.record)
    return report.json()


def _show(report: dict[str, Any]) -> None:
    print(f"connected in {report['connected_ms']:.0f} ms")
    for number, turn in enumerate(report["turns"], start=1):
        print(f"\nturn {number}")
        print(f"  caller  {turn['heard']}")
        print(f"  agent   {turn['reply']}")
        waited = turn["voice_to_voice_ms"]
        print(f"  voice to voice {waited:.0f} ms" if waited is not None else "  no answer")
        if turn["early"]:
            print("  the agent spoke before the caller had finished")
        for leg, ms in turn["legs"].items():
            print(f"    {leg:<18}{ms['waited_ms']:>8.0f} ms")
    sys.stdout.flush()
