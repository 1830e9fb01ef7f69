"""`voiced cert init|csr`: a key, and a certificate that vouches for itself or a request for one.

It writes files and shows nothing of the key. It does not know how they are made
(`voiced.web.issuing`).
"""

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from voiced.cli.options import Verbs, positive
from voiced.errors import ConfigError

if TYPE_CHECKING:
    from voiced.web.issuing import Key

DIRECTORY = Path("/etc/voiced/tls")
"""Its group is the daemon's, and so is that of the files in it."""
DAYS = 397
"""Longer than that some browsers take no certificate."""


def add(verbs: Verbs) -> None:
    """The verb, its two kinds, and their options."""
    purpose = "make a certificate for HTTPS, or a request for one"
    parser = verbs.add_parser("cert", help=purpose, description=purpose)
    kinds = parser.add_subparsers(dest="kind", metavar="KIND", required=True)
    init = kinds.add_parser("init", help="a key, and a certificate that it has signed itself")
    csr = kinds.add_parser("csr", help="a key, and a request that the hospital's CA signs")
    for kind in (init, csr):
        kind.add_argument(
            "--name",
            action="append",
            required=True,
            metavar="HOST",
            help="a host or an address that callers reach it by; once for each",
        )
        kind.add_argument(
            "--dir",
            type=Path,
            default=DIRECTORY,
            metavar="DIR",
            help=f"where the files go ({DIRECTORY})",
        )
    init.add_argument(
        "--days", type=positive, default=DAYS, metavar="N", help=f"how long it holds ({DAYS})"
    )


def run(args: argparse.Namespace) -> int:
    """0; raises ConfigError when a file is there already or cannot be written."""
    from voiced.clock import wall
    from voiced.web import issuing

    private = args.dir / "tls.key"
    public = args.dir / ("tls.crt" if args.kind == "init" else "tls.csr")
    if args.kind == "init":
        key = issuing.new_key()
        certificate = issuing.self_signed(key, args.name, args.days, wall())
        _write(private, issuing.key_pem(key), 0o640)
        _write(public, issuing.pem(certificate), 0o644)
        print(f"{public}: {', '.join(args.name)}, {args.days} days")
        print(f"SHA-256 {issuing.fingerprint(certificate)}")
    else:
        key = _key(private)
        request = issuing.request(key, args.name)
        _write(public, issuing.pem(request), 0o644)
        print(f"{public}: send it to your CA, and put what it sends back into {args.dir}/tls.crt")
    print(f'[http]\ncertificate_file = "{args.dir}/tls.crt"\nprivate_key_file = "{private}"')
    return 0


def _key(path: Path) -> "Key":
    """The key that is there, for the next certificate of the same host; else a new one."""
    from voiced.web import issuing

    try:
        return issuing.read_key(path.read_bytes())
    except FileNotFoundError:
        key = issuing.new_key()
        _write(path, issuing.key_pem(key), 0o640)
        return key
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from None


def _write(path: Path, content: bytes, mode: int) -> None:
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(content)
    except FileExistsError:
        raise ConfigError(
            f"{path}: is there already: move it away, or choose another --dir"
        ) from None
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from None
