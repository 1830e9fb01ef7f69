"""`voiced init`: asks the few questions that only a site can answer, and writes a configuration.

Settings, a first agent, and what they name: the audit's key, and where callers come from elsewhere
a certificate and a first key. Nothing that is there already is touched. It does not know what the
files say (`draft`), nor whether the machine is up to them: `voiced check` tries that.
"""

import argparse
import base64
import os
import sys
from collections.abc import Callable
from pathlib import Path

from voiced.catalog.model import Catalog
from voiced.catalog.reader import read_catalog
from voiced.cli import draft
from voiced.cli.draft import Answers
from voiced.cli.options import Verbs
from voiced.errors import ConfigError, UnavailableError

DIRECTORY = Path("/etc/voiced")
_SECRET_BYTES = 32

Valid = Callable[[str], bool]


def add(verbs: Verbs) -> None:
    """The verb and its options."""
    purpose = "asks a few questions, and writes a configuration that check accepts"
    parser = verbs.add_parser("init", help=purpose, description=purpose)
    parser.add_argument(
        "--dir", type=Path, default=DIRECTORY, metavar="DIR", help=f"where it goes ({DIRECTORY})"
    )
    parser.add_argument("--yes", action="store_true", help="asks nothing: takes every default")


def run(args: argparse.Namespace) -> int:
    """0; raises ConfigError when files are there already or cannot be written."""
    home = args.dir.absolute()
    config = home / "voiced.toml"
    if config.exists():
        raise ConfigError(f"{config}: is there already: move it away, or choose another --dir")
    catalog = read_catalog()
    answers = _answers(catalog, _Asker(silent=args.yes))
    texts = {
        config: draft.settings(answers, catalog, str(home)),
        home / "agents.d/reception.toml": draft.agent(answers, catalog),
    }
    for path, text in texts.items():
        _write(path, text.encode(), 0o644)
        print(f"{path}: written")
    _secret(home / "secrets/audit-key")
    if not answers.alone:
        _open_to_others(answers, home)
    print(f"then: voiced models pull --config {config}")
    print(f"      voiced check --config {config}")
    return 0


class _Asker:
    """A line for each question; an empty one, or no more input, takes what is in brackets."""

    def __init__(self, *, silent: bool) -> None:
        self._silent = silent

    def ask(self, question: str, default: str, valid: Valid = lambda _: True) -> str:
        """The answer. Raises ConfigError for a wrong one, where nobody can be asked again."""
        while not self._silent:
            print(f"{question} [{default}]: ", end="", file=sys.stderr, flush=True)
            line = sys.stdin.readline()
            if not line:
                self._silent = True
                break
            answer = line.strip() or default
            if valid(answer):
                return answer
            print(f"  {answer!r} will not do", file=sys.stderr)
            if not sys.stdin.isatty():
                raise ConfigError(f"{question}: {answer!r} will not do")
        return default


def _answers(catalog: Catalog, asker: _Asker) -> Answers:
    production = asker.ask("Will patients call? yes, or no for a trial", "yes", _yes_no) == "yes"
    fitting = draft.allowed(catalog, production=production)
    card = _card_gb()
    best = max(fitting, key=lambda name: _fits(catalog.profile(name).card_gb, card))
    profile = asker.ask(f"Models: {', '.join(fitting)}", best, fitting.__contains__)
    spoken = draft.languages(profile, catalog)
    first = "en" if "en" in spoken else spoken[0]
    return Answers(
        production=production,
        profile=profile,
        host=asker.ask("Address that callers reach this machine by", "127.0.0.1", _address),
        public_host=asker.ask("Public address, where a NAT stands in front (- for none)", "-")
        .removeprefix("-"),
        place=asker.ask("Who answers, as it is said", "The hospital's reception"),
        language=asker.ask(f"Language: {', '.join(spoken)}", first, spoken.__contains__),
        telephone=asker.ask("Telephone number of people, as it is said (- for none)", "-")
        .removeprefix("-"),
    )  # fmt: skip


def _fits(wanted_gb: int, card_gb: int) -> int:
    """The largest profile that the card holds; of those, the first."""
    return wanted_gb if wanted_gb <= card_gb else -1


def _card_gb() -> int:
    """Memory of the card here; 0 without one."""
    from voiced.config.environment import visible_cards
    from voiced.gpu.card import find, library

    try:
        return find(library(), visible_cards()).total_mb // 1000
    except UnavailableError:
        return 0


def _open_to_others(answers: Answers, home: Path) -> None:
    """A certificate that vouches for itself, and a key that opens everything, shown once."""
    from voiced.clock import wall
    from voiced.web import issuing, keys

    key = issuing.new_key()
    certificate = issuing.self_signed(key, [answers.host], 397, wall())
    _write(home / "tls/tls.key", issuing.key_pem(key), 0o640)
    _write(home / "tls/tls.crt", issuing.pem(certificate), 0o644)
    shown = keys.new()
    line = f'[[key]]\nname = "first"\nsha256 = "{keys.digested(shown)}"\nright = "operate"\n'
    _write(home / "keys.toml", line.encode(), 0o644)
    print(f"{home / 'tls/tls.crt'}: vouches for itself; `voiced cert csr` asks your CA for one")
    print(f"the first key, shown once: {shown}")


def _secret(path: Path) -> None:
    """32 random bytes; one that is there stays."""
    if not path.exists():
        _write(path, base64.b64encode(os.urandom(_SECRET_BYTES)) + b"\n", 0o600)
        print(f"{path}: written; keep a copy elsewhere")


def _write(path: Path, content: bytes, mode: int) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700 if mode == 0o600 else 0o755)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(content)
    except FileExistsError:
        raise ConfigError(f"{path}: is there already: move it away") from None
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}: run this as a user who may") from None


def _yes_no(answer: str) -> bool:
    return answer in ("yes", "no")


def _address(answer: str) -> bool:
    """As a bind address may be written; whether it is this machine's, `check` says."""
    import ipaddress

    try:
        ipaddress.ip_address(answer)
    except ValueError:
        return answer == "localhost"
    return True
