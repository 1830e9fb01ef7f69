"""`voiced check`: everything that must be right before the daemon serves. Exits 1 when one is not.

It does not know what is tried (`voiced.daemon.preflight`).
"""

import argparse
import json
import logging
import sys
from typing import TYPE_CHECKING

from voiced.cli.options import Verbs, add_config, settings_path

if TYPE_CHECKING:
    from voiced.daemon.preflight import Report


def add(verbs: Verbs) -> None:
    """The verb and its options."""
    purpose = "preflight without serving: files, models, memory, ports, one inference a stage"
    parser = verbs.add_parser("check", help=purpose, description=purpose)
    add_config(parser)
    parser.add_argument(
        "--quick",
        action="store_true",
        help="only what is written: settings, agents and the models' files; nothing is loaded",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")


def run(args: argparse.Namespace) -> int:
    """0; 1 when a check failed."""
    from voiced.daemon.preflight import preflight
    from voiced.ops import log

    log.to(sys.stderr, logging.WARNING)
    report = preflight(settings_path(args), engines=not args.quick)
    if args.json:
        print(json.dumps(_object(report)))
    else:
        _show(report)
    return 0 if report.ok else 1


def _object(report: "Report") -> dict[str, object]:
    plan = report.plan
    return {
        "ok": report.ok,
        "checks": [
            {"name": one.name, "ok": one.ok, "detail": one.detail, "fix": one.fix}
            for one in report.checks
        ],
        "plan": {}
        if plan is None
        else {
            "parts_mb": dict(plan.parts),
            "needed_mb": plan.needed_mb,
            "free_mb": report.free_mb,
            "card_parts_mb": dict(plan.card),
            "card_needed_mb": plan.card_needed_mb,
            "card_free_mb": report.card.free_mb if report.card is not None else 0,
        },
        "egress": [
            {"host": one.host, "port": one.port, "why": one.why, "carries": one.carries}
            for one in report.egress
        ],
    }


def _show(report: "Report") -> None:
    for check in report.checks:
        print(f"{'ok' if check.ok else 'FAILED':7} {check.name:10} {check.detail}")
        if not check.ok:
            print(f"{'':18} -> {check.fix}")
    if report.plan is not None:
        for part, megabytes in report.plan.parts.items():
            print(f"{'memory':18} {megabytes:6} MB  {part}")
        for part, megabytes in report.plan.card.items():
            print(f"{'card':18} {megabytes:6} MB  {part}")
    for one in report.egress:
        print(f"{'reached':18} {one.host}:{one.port}  {one.why}")
        print(f"{'':18} -> {one.carries}")
    if not report.egress:
        print(f"{'reached':18} no host: the configuration names none")
