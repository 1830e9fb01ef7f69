"""`voiced rehearse`: a conversation from a script, on virtual time; no audio, no model, no network.

What is decided, played and remembered is decided by the code that answers calls. It does not know
how a rehearsal is held, nor what a script may hold (docs/rehearse.md).
"""

import argparse
import json
import logging
from dataclasses import asdict
from pathlib import Path
from typing import Any

from voiced.cli.options import Parser, Verbs
from voiced.config.reader import read_json

_DIFFERENT = 1


def add(verbs: Verbs) -> None:
    """The verb and its options."""
    parser: Parser = verbs.add_parser("rehearse", help="a conversation from a script, in a moment")
    parser.add_argument("script", type=Path, metavar="SCRIPT.json", help="see docs/rehearse.md")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")


def run(args: argparse.Namespace) -> int:
    """0; 1 when an expectation of the script does not hold. Raises ConfigError."""
    from voiced.testing.rehearsal import Script
    from voiced.testing.rehearse import rehearse
    from voiced.testing.verdict import complaints

    logging.getLogger("voiced").addHandler(logging.NullHandler())  # the orders say it all
    script = read_json(Script, args.script)
    outcome = rehearse(script, args.script.parent)
    failed = complaints(script.expect, outcome)
    found = {"ok": not failed, "failed": failed, **asdict(outcome)}
    if args.json:
        print(json.dumps(found, ensure_ascii=False))
    else:
        _show(script.about, found)
    return _DIFFERENT if failed else 0


def _show(about: str, found: dict[str, Any]) -> None:
    print(about)
    print("\norders")
    for order in found["orders"]:
        print(f"  {order['at']:8.3f}  {_described(order)}")
    print("\nplayed")
    for stretch in found["played"]:
        print(f"  {stretch['from']:8.3f}  to {stretch['to']:.3f}")
    print("\nheard")
    for reply in found["heard"]:
        cut = " |" if reply["cut"] else ""
        print(f"  {reply['turn']}.{reply['take']}  {reply['text']}{cut}")
    print("\nhistory")
    for message in found["history"]:
        print(f"  {message['role']}: {message['text']}")
    print(f"\n{found['ended_at']:.3f}  ended: {found['ended']}")
    for sentence in found["failed"]:
        print(f"failed: {sentence}")


def _described(order: dict[str, Any]) -> str:
    """`Say 1.0 line=fallback`."""
    take = f" {order['turn']}.{order['take']}" if "turn" in order else ""
    told = {"at", "order", "turn", "take"}
    more = "".join(f" {key}={value!r}" for key, value in order.items() if key not in told)
    return f"{order['order']}{take}{more}"
