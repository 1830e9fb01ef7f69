"""`voiced hangup ID`: ends one call of the running daemon at once.

It does not know how a daemon is asked (`voiced.control.client`).
"""

import argparse
from urllib.parse import quote

from voiced.cli.options import Verbs, add_control, control_of
from voiced.cli.status import show


def add(verbs: Verbs) -> None:
    """The verb and its options."""
    purpose = "end one call at once"
    parser = verbs.add_parser("hangup", help=purpose, description=purpose)
    parser.add_argument("call", metavar="ID", help="as the log has it under `call`")
    add_control(parser)


def run(args: argparse.Namespace) -> int:
    """0. Raises Denied when there is no such call, UnavailableError when no daemon runs."""
    from voiced.control.client import ask

    target = f"/calls/{quote(args.call, safe='')}/hangup"
    show(ask(control_of(args), "POST", target), as_json=args.json)
    return 0
