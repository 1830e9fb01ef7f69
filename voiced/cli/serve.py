"""`voiced serve`: the daemon."""

import argparse

from voiced.cli.options import Verbs, add_config, settings_path


def add(verbs: Verbs) -> None:
    parser = verbs.add_parser("serve", help="the daemon: answers calls until it is told to stop")
    add_config(parser)


def run(args: argparse.Namespace) -> int:
    from voiced.daemon.daemon import run as serve

    serve(settings_path(args))
    return 0
