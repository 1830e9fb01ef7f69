"""`voiced audit verify|export|report`: is the audit whole, what is in it, and the monthly review.

It does not know how records are sealed or kept (`voiced.audit`).
"""

import argparse
import json
import sys
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from voiced.cli.options import Verbs, add_config, settings_of
from voiced.errors import ConfigError, UnavailableError

if TYPE_CHECKING:
    from voiced.audit.folder import Folder
    from voiced.audit.review import Review
    from voiced.audit.verdict import Fault

_MOST_NAMES = 20
"""Of each count, the largest ones are shown; `--json` has all."""


def add(verbs: Verbs) -> None:
    """The verb, its three actions and their options."""
    parser = verbs.add_parser(
        "audit", help="who did what, and when: check it, export it, review it"
    )
    actions = parser.add_subparsers(dest="action", metavar="verify|export|report", required=True)

    purpose = "check every record; exits 1 and names the first that is wrong"
    verify = actions.add_parser("verify", help=purpose, description=purpose)
    verify.add_argument(
        "--witness",
        metavar="FILE",
        help="lines of the log with audit.head in them, from a journal or a log server; -: stdin",
    )

    purpose = "the records as JSON lines, as they are sealed; that it was done is recorded first"
    export = actions.add_parser("export", help=purpose, description=purpose)
    for name, purpose in (("--since", "first day"), ("--until", "last day")):
        export.add_argument(name, type=date.fromisoformat, metavar="YYYY-MM-DD", help=purpose)

    purpose = "the monthly review: calls, changes, what was read, taken or erased"
    report = actions.add_parser("report", help=purpose, description=purpose)
    report.add_argument(
        "--month", type=_month, metavar="YYYY-MM", help="in UTC; without it the month before this"
    )
    for action in (verify, export, report):
        add_config(action)
    for action in (verify, report):
        action.add_argument("--json", action="store_true", help="one JSON object on stdout")


def run(args: argparse.Namespace) -> int:
    """0; 1 when a record is wrong. Raises ConfigError and UnavailableError."""
    folder = _folder(args)
    try:
        match args.action:
            case "verify":
                return _verify(folder, _witnessed(args.witness), as_json=args.json)
            case "export":
                return _export(folder, args.since, args.until)
            case _:
                return _report(folder, args.month or _last_month(), as_json=args.json)
    except OSError as error:
        raise UnavailableError(
            f"audit.dir = '{folder.directory}': {error.strerror}: run this as root, or as the "
            "daemon's user"
        ) from None


def _folder(args: argparse.Namespace) -> "Folder":
    from voiced.audit.folder import Folder
    from voiced.audit.keys import sealing_keys

    settings = settings_of(args).audit
    keys = sealing_keys(settings)
    if keys is None:
        raise ConfigError(
            "audit.key_file: without the key nothing can be checked: name the file that the "
            "daemon's credential audit-key is made from"
        )
    if not settings.dir.is_dir():
        raise UnavailableError(f"audit.dir = '{settings.dir}': there is no audit here")
    return Folder(settings.dir, keys, settings.retention_days)


def _witnessed(name: str | None) -> dict[int, str]:
    """Seals by number, from lines of the log; lines of anything else are passed over."""
    if name is None:
        return {}
    try:
        text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UnavailableError(f"{name}: cannot be read ({type(error).__name__})") from None
    found: dict[int, str] = {}
    for line in text.splitlines():
        try:
            told = json.loads(line[line.index("{") :])
            if told["event"] == "audit.head":
                found[int(told["number"])] = str(told["mac"])
        except (ValueError, KeyError, TypeError):
            continue
    if not found:
        raise UnavailableError(f"{name}: no line of it has the event audit.head")
    return found


def _verify(folder: "Folder", witnessed: dict[int, str], *, as_json: bool) -> int:
    from voiced.audit.reading import verified

    found = verified(folder, witnessed)
    if as_json:
        shown = {
            "ok": found.fault is None,
            "first": found.first,
            "last": found.last,
            "fault": _fault(found.fault),
            "interrupted_bytes": found.piece_bytes,
            "witnessed": len(witnessed),
        }
        print(json.dumps(shown))
    elif found.fault is not None:
        print(f"record {found.fault.number}: {found.fault.what}")
    else:
        told = f", and the {len(witnessed)} heads that were witnessed" if witnessed else ""
        print(f"whole: records {found.first} to {found.last}, the sealed head{told}")
        if found.piece_bytes:
            print(f"an append was interrupted, or is going on: {found.piece_bytes} bytes of it")
    return 0 if found.fault is None else 1


def _fault(fault: "Fault | None") -> dict[str, object] | None:
    return None if fault is None else {"record": fault.number, "what": fault.what}


def _export(folder: "Folder", since: date | None, until: date | None) -> int:
    from voiced.audit.entries import AuditExported
    from voiced.audit.folder import stamp
    from voiced.audit.reading import Reading
    from voiced.clock import wall
    from voiced.ops.host import account

    def wanted(at: str) -> bool:
        first, last = (day.isoformat() if day else at[:10] for day in (since, until))
        return first <= at[:10] <= last

    numbers = [n.record.number for n in Reading(folder, {}) if wanted(n.record.at)]
    first, last = (numbers[0], numbers[-1]) if numbers else (0, 0)
    folder.append([(stamp(wall()), AuditExported(account(), first, last))])
    reading = Reading(folder, {})
    for line in reading:
        if first <= line.record.number <= last and wanted(line.record.at):
            sys.stdout.write(line.raw.decode())
    fault = reading.checker.fault
    if fault is not None:
        print(f"voiced audit: record {fault.number}: {fault.what}", file=sys.stderr)
    return 0 if fault is None else 1


def _report(folder: "Folder", month: str, *, as_json: bool) -> int:
    from voiced.audit.reading import Reading
    from voiced.audit.review import Review

    review, reading = Review(month), Reading(folder, {})
    for line in reading:
        review.take(line.record)
    fault = reading.checker.fault
    if as_json:
        shown = {
            "ok": fault is None,
            "fault": _fault(fault),
            "month": month,
            "records": review.records,
            "counts": review.counts,
            "findings": review.findings,
        }
        print(json.dumps(shown))
    else:
        whole = "whole" if fault is None else f"NOT WHOLE: record {fault.number}: {fault.what}"
        print(f"{month}: {review.records} records; the audit is {whole}")
        for text in _lines(review):
            print(text)
    return 0 if fault is None else 1


def _lines(review: "Review") -> Iterator[str]:
    for what, names in review.counts.items():
        yield f"\n{what}: {names.total()}"
        for name, times in names.most_common(_MOST_NAMES):
            yield f"  {times:7} {name}"
        if len(names) > _MOST_NAMES:
            yield f"          and {len(names) - _MOST_NAMES} more"
    yield f"\nto be looked at: {len(review.findings)}"
    for one in review.findings:
        rest = " ".join(f"{k}={v}" for k, v in one.items() if k not in ("n", "at", "event"))
        yield f"  {one['n']:7} {one['at'][:19]} {one['event']} {rest}"


def _month(text: str) -> str:
    return date.fromisoformat(f"{text}-01").isoformat()[:7]


def _last_month() -> str:
    from voiced.clock import wall

    return (wall().date().replace(day=1) - timedelta(days=1)).isoformat()[:7]
