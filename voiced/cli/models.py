"""`voiced models list|pull|verify`: the catalogue, and the files of this machine against it.

It does not know how files are fetched or hashed (`voiced.catalog`), nor what they are for; only
that a voice's graph is changed once, after it was pulled.
"""

import argparse
import json
import sys
from dataclasses import replace

from voiced.catalog.model import Kind, Model
from voiced.catalog.progress import Progress
from voiced.catalog.pull import pull
from voiced.catalog.store import Store, open_store
from voiced.cli.options import Verbs, add_config, settings_of


def add(verbs: Verbs) -> None:
    """The verb, its three actions and their options."""
    parser = verbs.add_parser("models", help="the catalogue: list, pull and verify models")
    actions = parser.add_subparsers(dest="action", metavar="list|pull|verify", required=True)
    for action, purpose in (
        ("list", "what there is, under which licence, and what is here"),
        ("pull", "fetch what is missing here or damaged"),
        ("verify", "hash every file again; exit 1 when one is missing or damaged"),
    ):
        one = actions.add_parser(action, help=purpose, description=purpose)
        one.add_argument("name", nargs="?", metavar="PROFILE", help="a profile, or one model")
        add_config(one)
        one.add_argument("--json", action="store_true", help="one JSON object on stdout")


def run(args: argparse.Namespace) -> int:
    """0; 1 when `verify` found something. Raises VoicedError for the dispatcher."""
    settings = settings_of(args).models
    # Nothing is used here, so a model whose licence forbids production may lie here all the same.
    store = open_store(replace(settings, production=False))
    if args.action == "list":
        models = list(store.catalog.models) if args.name is None else _named(store, args.name)
        return _list(store, models, as_json=args.json)
    models = _named(store, args.name or settings.profile)
    if args.action == "pull":
        return _pull(store, models, as_json=args.json)
    return _verify(store, models, as_json=args.json)


def _named(store: Store, name: str) -> list[Model]:
    """The models of a profile, or the one model of that name. Raises ConfigError."""
    if any(model.name == name for model in store.catalog.models):
        return [store.catalog.model(name)]
    return [store.catalog.model(one) for one in store.catalog.profile(name).names]


def _list(store: Store, models: list[Model], *, as_json: bool) -> int:
    rows = [_row(store, model) for model in models]
    if as_json:
        profiles = {name: list(profile.names) for name, profile in store.catalog.profiles.items()}
        print(json.dumps({"dir": str(store.directory), "profiles": profiles, "models": rows}))
        return 0
    for row in rows:
        use = "" if row["production"] else "  (tests and demonstrations only)"
        print(
            f"{row['name']:20} {row['role']:5} {row['megabytes']:6} MB  {row['state']:8}"
            f" {row['licence']}{use}"
        )
    return 0


def _row(store: Store, model: Model) -> dict[str, object]:
    states = {store.state_of(model, file) for file in model.files}
    return {
        "name": model.name,
        "role": model.role.value,
        "version": model.version,
        "licence": model.licence,
        "licence_url": model.licence_url,
        "production": model.production,
        "megabytes": round(sum(file.bytes for file in model.files) / 1_000_000),
        "memory_mb": model.memory_mb,
        "state": next((s for s in ("damaged", "missing") if s in states), "ok"),
    }


def _pull(store: Store, models: list[Model], *, as_json: bool) -> int:
    progress = Progress(sys.stderr)
    pulled = [{"model": m.name, "files": pull(m, store, progress)} for m in models]
    for model in models:
        _cut(store, model)
    if as_json:
        print(json.dumps({"dir": str(store.directory), "pulled": pulled}))
    elif any(one["files"] for one in pulled):
        print(f"the models are in {store.directory}")
    else:
        print(f"nothing to fetch: the models are in {store.directory}, intact")
    return 0


def _cut(store: Store, model: Model) -> None:
    """Makes what a voice runs now, so that the daemon, which may not write there, finds it."""
    # Imported here: the graph library is heavy, and only a pulled voice needs it.
    match model.facts.get("family") if model.role is Kind.TTS else None:
        case "piper":
            from voiced.tts.split import parts_of

            parts_of(store, model.name)
        case "kokoro":
            from voiced.tts.kokoro_graph import graph_of

            graph_of(store, model.name)


def _verify(store: Store, models: list[Model], *, as_json: bool) -> int:
    rows = [
        {"model": m.name, "file": file.name, "state": store.state_of(m, file, fresh=True)}
        for m in models
        for file in m.files
    ]
    intact = all(row["state"] == "ok" for row in rows)
    if as_json:
        print(json.dumps({"ok": intact, "dir": str(store.directory), "files": rows}))
    else:
        for row in rows:
            print(f"{row['state']:8} {store.directory / row['model'] / row['file']}")
    return 0 if intact else 1
