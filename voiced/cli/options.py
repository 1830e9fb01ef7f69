"""The command line's parser, the options that several verbs share, and the settings they choose.

It does not know the verbs.
"""

import argparse
import ssl
import sys
from pathlib import Path
from typing import NoReturn, TypeAlias

from voiced.config.reader import read_settings
from voiced.config.settings import Settings
from voiced.errors import UnavailableError

_USAGE = 64
SITE = Path("/etc/voiced/voiced.toml")
DEMO = Path(__file__).resolve().parents[2] / "docs/examples/demo.toml"
"""There only in a checkout."""


class Parser(argparse.ArgumentParser):
    """Exits with 64 where argparse would exit with 2."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(_USAGE, f"{self.prog}: {message}\n")


Verbs: TypeAlias = "argparse._SubParsersAction[Parser]"
"""Where a verb adds its own parser."""


def add_config(parser: argparse.ArgumentParser) -> None:
    """`--config FILE`; read it with `settings_path` or `settings_of`."""
    parser.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        help=f"settings; without it {SITE} where it exists, else the checkout's demonstration",
    )


def settings_path(args: argparse.Namespace) -> Path | None:
    """The settings file of this command; none: the built-in defaults."""
    given: Path | None = args.config
    if given is not None:
        return given
    return next((path for path in (SITE, DEMO) if path.is_file()), None)


def settings_of(args: argparse.Namespace) -> Settings:
    """The settings of this command. Raises ConfigError."""
    return read_settings(settings_path(args))


def add_control(parser: argparse.ArgumentParser) -> None:
    """`--config`, `--socket` and `--json`, for a verb that asks the running daemon."""
    add_config(parser)
    parser.add_argument(
        "--socket", type=Path, metavar="PATH", help="the daemon's control socket; else as set"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")


def control_of(args: argparse.Namespace) -> Path:
    """Where the running daemon is asked. Raises ConfigError."""
    from voiced.control.client import DEFAULT

    given: Path | None = args.socket
    return given or settings_of(args).control.socket or DEFAULT


def positive(text: str) -> int:
    """A whole number from 1 on, for `type=`."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text}: write 1 or more")
    return number


def add_access(parser: argparse.ArgumentParser) -> None:
    """What a daemon is shown, and how it is believed."""
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--token", help="shown as bearer token")
    shown.add_argument(
        "--token-file",
        type=Path,
        metavar="F",
        help="the same, from a file's first line: other users of this machine do not see it",
    )
    parser.add_argument(
        "--ca",
        type=Path,
        metavar="F.crt",
        help="believe this certificate: a CA's, or that of `cert init`",
    )


def token_of(args: argparse.Namespace) -> str | None:
    """What is shown as bearer token. Raises UnavailableError."""
    if args.token_file is None:
        given: str | None = args.token
        return given
    try:
        return str(args.token_file.read_text(encoding="utf-8")).partition("\n")[0].strip()
    except OSError as error:
        raise UnavailableError(f"{args.token_file}: {error.strerror}") from None


def tls_of(args: argparse.Namespace) -> ssl.SSLContext | None:
    """Whom to believe that he is the host; None: whom this machine believes."""
    return ssl.create_default_context(cafile=str(args.ca)) if args.ca is not None else None
