"""The `voiced` command: finds the verb, runs it, and turns failures into exit codes.

Only the verb that was asked for is imported, so that `voiced models list` loads no engine. It does
not know what a verb does.
"""

import argparse
import importlib
import os
import sys
from typing import NoReturn

from voiced import __doc__ as about
from voiced.cli.options import Parser, Verbs
from voiced.errors import ConfigError, UnavailableError, VoicedError

FAILED, UNAVAILABLE, CONFIGURATION, INTERRUPTED = 1, 69, 78, 130
"""Exit codes, as in sysexits.h; the last is a shell's own for Ctrl-C."""

VERBS = {
    "serve": "the daemon: answers calls",
    "init": "asks a few questions, and writes a configuration that check accepts",
    "check": "preflight without serving: config, models, memory, ports, one inference a stage",
    "status": "how the running daemon is",
    "drain": "no new calls; wait until the present ones have ended",
    "hangup": "end one call",
    "cert": "make a certificate for HTTPS, or a request for one",
    "token": "make a key that callers' programs show",
    "audit": "who did what, and when: check it, export it, review it",
    "backup": "kept calls, audit and configuration in one archive",
    "restore": "prove that a backup can be read, and put it in place",
    "calls": "what was kept of calls: list, show, export, erase",
    "call": "place a call and play recordings into it",
    "talk": "talk to a daemon with microphone and loudspeaker",
    "models": "the catalogue: list, pull and verify models",
    "voices": "voices per language: list, audition, clone",
    "say": "what the voice would say",
    "transcribe": "what the ears would hear",
    "rehearse": "a conversation from a script, without audio or model",
    "calibrate": "which short windows a recogniser may use, into the catalogue",
    "bench": "measure ours against a baseline",
}
"""Each is the module of that name in voiced.cli, with `add(verbs)` and `run(args)`."""


def main(arguments: list[str] | None = None) -> int:
    """Runs one verb; returns its exit code. Usage errors and --help leave by SystemExit."""
    given = sys.argv[1:] if arguments is None else arguments
    named = next((word for word in given if not word.startswith("-")), None)
    args = parser_for(named).parse_args(given)
    try:
        return int(importlib.import_module(f"voiced.cli.{args.verb}").run(args))
    except VoicedError as error:
        print(f"voiced {args.verb}: {error}", file=sys.stderr)
        return _code(error)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader went away, as `head` does; what is left must not be flushed into the pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED


def parser_for(named: str | None) -> Parser:
    """Knows every verb, and the options of the one that was named; imports no other."""
    parser = Parser(prog="voiced", description=about)
    parser.add_argument("--version", action=_Version, nargs=0, help="print it and exit")
    verbs: Verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    for verb, purpose in VERBS.items():
        if verb == named:
            importlib.import_module(f"voiced.cli.{verb}").add(verbs)
        else:
            verbs.add_parser(verb, help=purpose)
    return parser


def _code(error: VoicedError) -> int:
    match error:
        case ConfigError():
            return CONFIGURATION
        case UnavailableError():
            return UNAVAILABLE
        case _:
            return FAILED


class _Version(argparse.Action):
    """Reads the version only when it is asked for: the look-up costs more than a short verb."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from importlib.metadata import version

        print(f"voiced {version('voiced')}")
        parser.exit()
