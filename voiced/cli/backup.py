"""`voiced backup FILE`: kept calls, the audit and the configuration in one archive.

The daemon may be at work, and no key is needed. It does not know how the archive is made
(`voiced.vault.backup`).
"""

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from voiced.cli.options import Verbs, add_config, settings_of, settings_path
from voiced.cli.recorded import record
from voiced.config.settings import Settings

if TYPE_CHECKING:
    from voiced.vault.backup import Site


def add(verbs: Verbs) -> None:
    """The verb and its options."""
    purpose = "kept calls, the audit and the configuration in one archive; no key is in it"
    parser = verbs.add_parser("backup", help=purpose, description=purpose)
    parser.add_argument("archive", type=Path, metavar="FILE", help="what is made: a tar file")
    add_config(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")


def run(args: argparse.Namespace) -> int:
    """0. Raises UnavailableError."""
    from voiced.audit.entries import AdminActed
    from voiced.clock import wall
    from voiced.ops.host import account
    from voiced.vault.backup import back_up

    settings, path = settings_of(args), settings_path(args)
    record(settings, AdminActed(account(), "backup.made"))
    archive: Path = args.archive
    hashes = back_up(site_of(settings, path), archive, wall().isoformat(timespec="seconds"))
    calls = sum(name.startswith("vault/calls/") for name in hashes)
    if args.json:
        print(json.dumps({"archive": str(archive), "files": len(hashes), "calls": calls}))
    else:
        print(f"{archive}: {len(hashes)} files, {calls} calls")
        print("Without the site key it is worth nothing: voiced restore --prove")
    return 0


def site_of(settings: Settings, path: Path | None) -> "Site":
    """Where the parts of a backup lie on this machine."""
    from voiced.vault.backup import Site

    return Site(settings.vault.dir, settings.audit.dir, path, settings.calls.agents_dir)
