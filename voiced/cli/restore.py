"""`voiced restore FILE --key KEY`: proves that a backup can be read, and puts it in place.

With `--prove` it ends after the proof: run it with the key as it lies in escrow, so that the day on
which it is needed is not the first on which somebody looks for it. It does not know how an archive
is read (`voiced.vault.backup`).
"""

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from voiced.cli.backup import site_of
from voiced.cli.options import SITE, Verbs
from voiced.cli.recorded import record
from voiced.config.reader import read_settings
from voiced.errors import Damaged, UnavailableError

if TYPE_CHECKING:
    from voiced.vault.backup import Proof


def add(verbs: Verbs) -> None:
    """The verb and its options."""
    purpose = "prove that a backup can be read with the site key, and put it in place"
    parser = verbs.add_parser("restore", help=purpose, description=purpose)
    parser.add_argument("archive", type=Path, metavar="FILE", help="what `voiced backup` made")
    parser.add_argument(
        "--key", type=Path, required=True, metavar="KEY", help="the site key, out of escrow"
    )
    parser.add_argument("--prove", action="store_true", help="only that; nothing is put in place")
    parser.add_argument(
        "--config",
        type=Path,
        default=SITE,
        metavar="FILE",
        help=f"settings; where there are none, the backup's are put there ({SITE})",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")


def run(args: argparse.Namespace) -> int:
    """0. Raises Damaged, when a call or the archive is, ConfigError and UnavailableError."""
    from voiced.vault.backup import prove, unpacked
    from voiced.vault.keys import read_site_keys

    archive: Path = args.archive
    site = read_site_keys(args.key, "--key")
    with unpacked(archive, archive.absolute().parent) as (folder, made_at):
        proof = prove(folder, made_at, site)
        try:
            placed = [] if args.prove else _put(folder, args.config)
        except OSError as error:
            raise UnavailableError(f"{error.filename or folder}: {error.strerror}") from None
    _show(proof, placed, as_json=args.json)
    if proof.damaged:
        raise Damaged(f"{archive}: calls that cannot be read: {', '.join(proof.damaged)}")
    return 0


def _put(folder: Path, config: Path) -> list[str]:
    from voiced.audit.entries import AdminActed
    from voiced.audit.keys import sealing_keys
    from voiced.ops.host import account
    from voiced.vault.backup import put_agents, put_configuration, put_in_place

    fresh = put_configuration(folder, config)
    settings = read_settings(config)
    sealing_keys(settings.audit)  # raises, where it is named and not there, before anything is done
    put_in_place(folder, site_of(settings, config))
    agents = put_agents(folder, settings.calls.agents_dir)
    record(settings, AdminActed(account(), "backup.restored"))
    return [
        *([str(config)] if fresh else []),
        *(str(settings.calls.agents_dir / f"{agent}.toml") for agent in agents),
        str(settings.vault.dir),
        str(settings.audit.dir),
    ]


def _show(proof: "Proof", placed: list[str], *, as_json: bool) -> None:
    if as_json:
        shown = {
            "made_at": proof.made_at,
            "site_key": proof.site_key,
            "calls_readable": proof.calls,
            "calls_damaged": proof.damaged,
            "placed": placed,
        }
        print(json.dumps(shown))
        return
    print(f"made {proof.made_at}; its site key {proof.site_key} is the one that was shown")
    print(f"{proof.calls} calls were opened and read to their end")
    for path in placed:
        print(f"in place: {path}")
    if placed:
        print("Put the site key into /etc/voiced/secrets/vault-key, erase once more what was")
        print("erased since the backup was made, then: voiced check, systemctl start voiced")
