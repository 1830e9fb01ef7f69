"""`voiced token NAME`: makes a key that callers' programs show, and keeps its hash.

The key is printed once and is nowhere else. It does not know who is given it.
"""

import argparse
import os
import sys
from pathlib import Path

from voiced.cli.options import Verbs, add_config, settings_of
from voiced.errors import ConfigError

FILE = Path("/etc/voiced/keys.toml")
"""Anybody may read it: no key can be found from its hash."""
RIGHTS = ("call", "watch", "attend", "join", "operate")
"""As in `voiced.web.keys`, which is imported late."""


def add(verbs: Verbs) -> None:
    """The verb and its options."""
    purpose = "make a key that callers' programs show"
    parser = verbs.add_parser(
        "token",
        help=purpose,
        description="Makes a key, prints it once, and adds its name and hash to the file of keys. "
        "The daemon takes it after `systemctl reload voiced`. Remove its lines to take it back.",
    )
    parser.add_argument("name", metavar="NAME", help="whose it is: ward-3-tablets")
    parser.add_argument(
        "--right",
        choices=RIGHTS,
        default="call",
        help="call: places calls; watch: reads the metrics; attend: sees the calls and takes over "
        "those that wait for a person; join: speaks with them too; operate: everything (call)",
    )
    parser.add_argument(
        "--file",
        type=Path,
        metavar="FILE",
        help=f"the file of keys; without it http.keys_file, else {FILE}",
    )
    add_config(parser)


def run(args: argparse.Namespace) -> int:
    """0; raises ConfigError for a name that is there already, or a file that cannot be written."""
    from pydantic import TypeAdapter, ValidationError

    from voiced.web import keys

    path: Path = args.file or settings_of(args).http.keys_file or FILE
    key = keys.new()
    there = keys.in_file(path) if path.exists() else ()
    if args.name in {one.name for one in there}:
        raise ConfigError(f"{path}: there is a key of the name {args.name!r}: choose another")
    kept = {"name": args.name, "sha256": keys.digested(key), "right": args.right}
    try:
        TypeAdapter(keys.Key).validate_python(kept)
    except ValidationError:
        raise ConfigError(f"{args.name!r}: write lower-case letters, digits, - and _") from None
    _append(
        path, "".join(["\n[[key]]\n", *(f'{word} = "{value}"\n' for word, value in kept.items())])
    )
    print(key)
    print(f"{path}: {args.name} may {args.right}; then: systemctl reload voiced", file=sys.stderr)
    return 0


def _append(path: Path, lines: str) -> None:
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644), "w") as file:
            file.write(lines)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from None
