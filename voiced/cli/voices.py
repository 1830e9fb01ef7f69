"""`voiced voices list|audition|clone`: who can speak which language, how it sounds, a voice more.

Only `list` is here; the other two are modules of their own, since they load more. It does not know
how a voice speaks.
"""

import argparse
import asyncio
import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from voiced.cartesia import api
from voiced.catalog.model import Kind
from voiced.catalog.store import Store, open_store
from voiced.cli.options import Verbs, add_config, settings_of
from voiced.config.settings import Settings
from voiced.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Row:
    """One voice that an agent may name."""

    name: str
    languages: tuple[str, ...]
    engine: str
    """`sonic`, or the family of a local model."""
    production: bool
    state: str
    """`ok`, `missing` or `damaged` for files here; `remote` for Sonic's."""


def add(verbs: Verbs) -> None:
    """The verb, its three actions and their options."""
    parser = verbs.add_parser("voices", help="voices per language: list, audition, clone")
    actions = parser.add_subparsers(dest="action", metavar="list|audition|clone", required=True)
    listing = actions.add_parser("list", help="the catalogue's and Sonic's, by language")
    listing.add_argument("--lang", metavar="L", help="only those that speak it")
    listing.add_argument("--sonic", action="store_true", help="also ask Sonic what it has")
    audition = actions.add_parser("audition", help="hear a voice say a sample sentence")
    audition.add_argument("name", metavar="VOICE")
    audition.add_argument("--text", metavar="T", help="say this instead")
    audition.add_argument("--lang", metavar="L", help="of the text; else the voice's first")
    audition.add_argument("--out", type=Path, metavar="F.wav", help="write it, do not play it")
    cloning = actions.add_parser(
        "clone",
        help="have the vendor's cloud make a voice of a recording: the recording leaves the site",
    )
    cloning.add_argument("sample", type=Path, metavar="F.wav", help="5 to 20 s of one person")
    cloning.add_argument("--name", required=True, help="what the vendor's list calls it")
    cloning.add_argument("--lang", required=True, metavar="L", help="what is spoken in it")
    cloning.add_argument(
        "--consent",
        type=Path,
        required=True,
        metavar="NOTE",
        help="a file in which the speaker's consent is written down: who, when, to what",
    )
    for one in (listing, audition, cloning):
        add_config(one)
        one.add_argument("--json", action="store_true", help="one JSON object on stdout")


def run(args: argparse.Namespace) -> int:
    """0. Raises VoicedError for the dispatcher."""
    settings = settings_of(args)
    match args.action:
        case "list":
            return _list(settings, args)
        case "audition":
            from voiced.cli.audition import audition

            return audition(settings, args)
        case _:
            from voiced.cli.cloning import clone

            return clone(settings, args)


def rows(store: Store, settings: Settings) -> list[Row]:
    """Every voice that an agent may name, by language and name."""
    found = [
        Row(
            model.name,
            tuple(str(one) for one in model.facts.get("languages", [])),
            str(model.facts.get("family", "")),
            model.production,
            _state(store, model.name),
        )
        for model in store.catalog.models
        if model.role is Kind.TTS
    ]
    found += [
        Row(voice.name, (voice.language,), "sonic", production=True, state="remote")
        for voice in settings.sonic.voices
    ]
    return sorted(found, key=lambda row: (row.languages, row.name))


def _state(store: Store, name: str) -> str:
    model = store.catalog.model(name)
    states = {store.state_of(model, file) for file in model.files}
    return next((one for one in ("damaged", "missing") if one in states), "ok")


def _list(settings: Settings, args: argparse.Namespace) -> int:
    store = open_store(replace(settings.models, production=False))
    found = [row for row in rows(store, settings) if args.lang in (None, *row.languages)]
    there = asyncio.run(_offered(settings)) if args.sonic else []
    if args.json:
        print(json.dumps({"voices": [asdict(row) for row in found], "sonic": there}))
        return 0
    for row in found:
        use = "" if row.production else "  (tests and demonstrations only)"
        print(f"{','.join(row.languages):12} {row.name:24} {row.engine:8} {row.state}{use}")
    for voice in there:
        print(f"{voice['language']:12} {voice['name']:24} sonic id {voice['id']}")
    return 0


async def _offered(settings: Settings) -> list[dict[str, str]]:
    from voiced.tts.sonic import roster
    from voiced.tts.sonic.choir import read_key

    sonic = settings.sonic
    if not sonic.url:
        raise ConfigError("sonic.url is empty: write http://HOST:PORT of the API server")
    headers = api.headers(read_key(sonic), sonic.version)
    return [asdict(voice) for voice in await roster.offered(sonic.url, headers)]
