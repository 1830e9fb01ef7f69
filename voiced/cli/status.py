"""`voiced status`: how the running daemon is. Exits 1 when it takes no calls.

It does not know how a daemon is asked (`voiced.control.client`).
"""

import argparse
import json
from typing import Any

from voiced.cli.options import Verbs, add_control, control_of


def add(verbs: Verbs) -> None:
    """The verb and its options."""
    purpose = "how the running daemon is; exits 1 when it takes no calls"
    parser = verbs.add_parser("status", help=purpose, description=purpose)
    add_control(parser)


def run(args: argparse.Namespace) -> int:
    """0; 1 when it takes no calls. Raises UnavailableError when none runs."""
    from voiced.control.client import ask

    status = ask(control_of(args), "GET", "/status")
    show(status, as_json=args.json)
    return 0 if status["ready"] else 1


def show(status: dict[str, Any], *, as_json: bool) -> None:
    """What a daemon has answered."""
    if as_json:
        print(json.dumps(status))
        return
    state = "ready" if status["ready"] else f"takes no calls: {status['why_not']}"
    print(f"voiced {status['version']}: {state}")
    print(f"calls      {status['calls']} of {status['calls_max']}")
    print(f"agents     {', '.join(status['agents']) or 'none yet'}")
    print(f"ports      tcp {status['http_port']}, udp {status['udp_port']}")
    print(f"running    {status['uptime_s']:.0f} s")
    for alarm in status["alarms"]:
        print(f"ALARM      {alarm}")
    if (days := status["certificate_days_left"]) is not None:
        print(f"HTTPS      the certificate ends in {days} days")
