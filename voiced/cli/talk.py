"""`voiced talk [URL]`: a call from this machine's microphone and loudspeaker."""

import argparse
import asyncio
import json
import os
import signal
from dataclasses import asdict

from voiced.cli.options import Verbs, add_access, tls_of, token_of

_NAMES = {"heard": "you", "reply": "agent", "line": "line"}
DEFAULT_URL = "http://127.0.0.1:8080"


def add(verbs: Verbs) -> None:
    parser = verbs.add_parser(
        "talk",
        help="talk to a daemon with microphone and loudspeaker",
        description="Places a call with this machine's microphone and loudspeaker; what comes back "
        "of the loudspeaker's sound is taken out, and a line that is lost is taken up again. Ends "
        "when the agent hangs up, or with Ctrl-C; with exit code 69 when the line stays lost.",
    )
    parser.add_argument("url", nargs="?", default=DEFAULT_URL, help=f"{DEFAULT_URL} unless given")
    parser.add_argument(
        "--microphone", metavar="NAME", help="a part of its name; else the usual one"
    )
    parser.add_argument("--speaker", metavar="NAME", help="the same for the loudspeaker")
    add_access(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout at the end")


def run(args: argparse.Namespace) -> int:
    return asyncio.run(_talk(args))


async def _talk(args: argparse.Namespace) -> int:
    from voiced.talk.talk import talk
    from voiced.testing.exchange import HttpExchange

    exchange = HttpExchange(args.url, token_of(args), tls_of(args))

    def told(who: str, text: str) -> None:
        if text and not args.json:
            print(f"{_NAMES[who]:<6} {text}", flush=True)

    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, stop.set)
    report = await talk(exchange, told, stop, args.microphone, args.speaker)
    if args.json:
        print(json.dumps(asdict(report)))
    else:
        print(f"{report.turns} turns, {report.underruns} blocks missed by the sound devices")
    return os.EX_UNAVAILABLE if report.lost else 0
