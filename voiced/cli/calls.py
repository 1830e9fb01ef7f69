"""`voiced calls list|show|export|erase|rekey`: what was kept of calls, and its end.

Reading needs the site key; listing and erasing do not. Every look, copy and erasure is recorded in
the audit before it is done, with who did it. It does not know how calls are kept (`voiced.vault`).
"""

import argparse
import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from sqlite3 import OperationalError
from typing import TYPE_CHECKING

from voiced.cli.options import Verbs, add_config, settings_of
from voiced.cli.recorded import record
from voiced.config.settings import Settings
from voiced.errors import ConfigError, Damaged, UnavailableError

if TYPE_CHECKING:
    from voiced.vault.index import Row
    from voiced.vault.keys import SiteKeys
    from voiced.vault.record import Turn
    from voiced.vault.showing import Shown
    from voiced.vault.vault import Vault


def add(verbs: Verbs) -> None:
    """The verb, its actions and their options."""
    parser = verbs.add_parser("calls", help="what was kept of calls: list, show, export, erase")
    actions = parser.add_subparsers(
        dest="action", metavar="list|show|export|erase|rekey", required=True
    )

    purpose = "every call that was kept, the newest first; erased ones by name"
    listing = actions.add_parser("list", help=purpose, description=purpose)

    purpose = "what was said in a call"
    show = actions.add_parser("show", help=purpose, description=purpose)
    show.add_argument("call", metavar="ID")

    purpose = "a call's transcript (ID.json) and recording (ID.ogg) as files that anybody can open"
    export = actions.add_parser("export", help=purpose, description=purpose)
    export.add_argument("call", metavar="ID")
    export.add_argument("--out", type=Path, default=Path(), metavar="DIR", help="where to (here)")
    export.add_argument(
        "--reason",
        type=_word,
        metavar="WORD",
        help="why, for the audit: treatment, complaint",
    )

    purpose = "destroy the keys of calls: nobody can read them any more, from no copy"
    erase = actions.add_parser("erase", help=purpose, description=purpose)
    erase.add_argument("calls", nargs="+", metavar="ID")

    purpose = "wrap every call's key with the site key in the first line of its file"
    rekey = actions.add_parser("rekey", help=purpose, description=purpose)
    for action in (listing, show, export, erase, rekey):
        add_config(action)
        action.add_argument("--json", action="store_true", help="one JSON object on stdout")


def _word(text: str) -> str:
    """A plain name: the audit has no place for what somebody was told."""
    if not re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,63}", text):
        raise argparse.ArgumentTypeError(f"{text!r}: write one word: a-z, digits, - and _")
    return text


def run(args: argparse.Namespace) -> int:
    """0. Raises UnavailableError, ConfigError, and Damaged when not all of a call can be read."""
    settings = settings_of(args)
    with _opened(settings) as vault:
        match args.action:
            case "list":
                return _list(vault, settings, as_json=args.json)
            case "show":
                return _show(vault, settings, args.call, as_json=args.json)
            case "export":
                return _export(vault, settings, args)
            case "erase":
                return _erase(vault, settings, args.calls, as_json=args.json)
            case _:
                return _rekey(vault, settings, as_json=args.json)


@contextmanager
def _opened(settings: Settings) -> "Iterator[Vault]":
    from voiced.clock import wall
    from voiced.vault.vault import opened

    try:
        with opened(settings.vault.dir, lambda: int(wall().timestamp())) as vault:
            yield vault
    except (OSError, OperationalError) as error:
        raise UnavailableError(
            f"vault.dir = '{settings.vault.dir}': {error}: are you root, or the daemon?"
        ) from None


def _site(settings: Settings) -> "SiteKeys":
    from voiced.vault.keys import USUAL, site_keys

    site = site_keys(settings.vault)
    if site is None:
        raise ConfigError(
            f"vault.key_file: without the site key no call can be read: put it into {USUAL}, or "
            "name its file"
        )
    return site


def _list(vault: "Vault", settings: Settings, *, as_json: bool) -> int:
    from voiced.audit.entries import VaultRead
    from voiced.ops.host import account

    record(settings, VaultRead(account(), None, "list"))
    rows = vault.index.rows()
    if as_json:
        print(json.dumps({"calls": [_fields(row) for row in rows]}))
        return 0
    for row in rows:
        if row.erased_at is not None:
            print(f"{row.id}  erased {_at(row.erased_at)}: {row.erased_for}")
            continue
        print(
            f"{row.id}  {_at(row.opened_at)}  {row.agent}  {row.turns} turns"
            f"{', recorded' if row.recorded else ''}  {row.ending or 'goes on'}"
            f"  until {_at(row.expires_at)}"
        )
    return 0


def _show(vault: "Vault", settings: Settings, call: str, *, as_json: bool) -> int:
    from voiced.audit.entries import VaultRead
    from voiced.ops.host import account

    row, site = vault.row(call), _site(settings)
    record(settings, VaultRead(account(), call, "transcript"))
    shown = _read(vault, call, site)
    if as_json:
        print(json.dumps(_whole(row, shown), ensure_ascii=False))
    else:
        print(f"{call}  {_at(row.opened_at)}  {row.agent}  {row.ending or 'goes on'}")
        for turn in shown.turns:
            for who, said in (("caller", turn.caller), ("agent", turn.agent)):
                if said:
                    print(f"{turn.at_ms / 1000:8.1f} s  {who:7} {said.reveal()}")
    return _told(shown)


def _export(vault: "Vault", settings: Settings, args: argparse.Namespace) -> int:
    from voiced.audit.entries import VaultExported
    from voiced.ops.host import account
    from voiced.vault.sound import write_ogg

    call: str = args.call
    row, site = vault.row(call), _site(settings)
    what = "recording" if row.recorded else "transcript"
    record(settings, VaultExported(account(), call, what, args.reason or ""))
    shown = _read(vault, call, site)
    written = [args.out / f"{call}.json"]
    try:
        args.out.mkdir(parents=True, exist_ok=True)
        text = json.dumps(_whole(row, shown), ensure_ascii=False, indent=1)
        written[0].touch(mode=0o600)
        written[0].write_text(f"{text}\n", encoding="utf-8")
        if shown.sound:
            written.append(args.out / f"{call}.ogg")
            written[1].touch(mode=0o600)
            write_ogg(shown.packets(), written[1])
    except OSError as error:
        raise UnavailableError(f"{args.out}: cannot be written ({error.strerror})") from None
    names = [str(path) for path in written]
    print(json.dumps({"files": names}) if args.json else "\n".join(names))
    return _told(shown)


def _erase(vault: "Vault", settings: Settings, calls: list[str], *, as_json: bool) -> int:
    from voiced.audit.entries import VaultErased
    from voiced.ops.host import account

    for call in calls:
        vault.row(call)
    for call in calls:
        record(settings, VaultErased(account(), call, "asked"))
        vault.erase(call, "asked")
    print(json.dumps({"erased": calls}) if as_json else f"erased: {', '.join(calls)}")
    return 0


def _rekey(vault: "Vault", settings: Settings, *, as_json: bool) -> int:
    from voiced.audit.entries import AdminActed
    from voiced.ops.host import account

    site = _site(settings)
    record(settings, AdminActed(account(), "vault.rekeyed", site.present.name))
    count = vault.keys.rewrap(site)
    told = f"{count} keys were wrapped anew; all are now under site key {site.present.name}"
    print(json.dumps({"rewrapped": count, "site_key": site.present.name}) if as_json else told)
    return 0


def _read(vault: "Vault", call: str, site: "SiteKeys") -> "Shown":
    from voiced.vault.showing import opened_call

    return opened_call(vault, call, site)


def _told(shown: "Shown") -> int:
    """Raises Damaged, once what can be read was shown."""
    sys.stdout.flush()
    if shown.damage is not None:
        raise Damaged(shown.damage)
    return 0


def _whole(row: "Row", shown: "Shown") -> dict[str, object]:
    return {**_fields(row), "turns": [_turn(turn) for turn in shown.turns]}


def _turn(turn: "Turn") -> dict[str, object]:
    """The words leave here, for whoever was allowed to read them."""
    return {
        "turn": turn.turn,
        "at_ms": turn.at_ms,
        "caller": turn.caller.reveal(),
        "agent": turn.agent.reveal(),
        "cut": turn.cut,
    }


def _fields(row: "Row") -> dict[str, object]:
    return {
        "id": row.id,
        "agent": row.agent,
        "language": row.language,
        "recorded": bool(row.recorded),
        "opened_at": _iso(row.opened_at),
        "closed_at": _iso(row.closed_at),
        "ending": row.ending,
        "expires_at": _iso(row.expires_at),
        "turn_count": row.turns,
        "erased_at": _iso(row.erased_at),
        "erased_for": row.erased_for,
    }


def _iso(seconds: int | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat()


def _at(seconds: int | None) -> str:
    return (_iso(seconds) or "")[:16].replace("T", " ")
