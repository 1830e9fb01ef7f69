"""`voiced drain`: no new calls, and wait until the last one has ended. Exits 1 when some are left.

It does not know how a daemon is asked (`voiced.control.client`).
"""

import argparse
from datetime import timedelta

from voiced.cli.options import Verbs, add_control, control_of, positive
from voiced.cli.status import show

_DAY_S = int(timedelta(days=1).total_seconds())


def add(verbs: Verbs) -> None:
    """The verb and its options."""
    purpose = "take no new calls, and wait until the present ones have ended; none is cut"
    parser = verbs.add_parser("drain", help=purpose, description=purpose)
    how = parser.add_mutually_exclusive_group()
    how.add_argument(
        "--wait",
        type=positive,
        default=_DAY_S,
        metavar="SECONDS",
        help="stop waiting after so long, and exit 1 when calls are left; the drain goes on",
    )
    how.add_argument("--undo", action="store_true", help="take calls again")
    add_control(parser)


def run(args: argparse.Namespace) -> int:
    """0; 1 when calls are left. Raises UnavailableError when no daemon runs."""
    from voiced.control.client import ask

    wait_s = 0 if args.undo else min(args.wait, _DAY_S)
    target = "/resume" if args.undo else f"/drain?wait_s={wait_s}"
    status = ask(control_of(args), "POST", target, wait_s)
    show(status, as_json=args.json)
    return 0 if args.undo or status["calls"] == 0 else 1
