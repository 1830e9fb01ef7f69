"""The command line's parser, the options that several verbs share, and the settings they choose.

It does not know the verbs.
"""

import argparse
import sys
from pathlib import Path
from typing import NoReturn, TypeAlias

from voiced.config.reader import read_settings
from voiced.config.settings import Settings

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
