"""`voiced models`: the catalogue, and the files of this machine against it.

It does not know how files are fetched or hashed (`voiced.catalog`), nor what they are for; only
that a voice's graph is changed once, after it was pulled.
"""

import argparse
import json
import sys
from dataclasses import asdict, replace
from pathlib import Path

from voiced.catalog import bundle
from voiced.catalog.model import Kind, Model
from voiced.catalog.pins import joined, read_pins, write_pins
from voiced.catalog.progress import Progress
from voiced.catalog.pull import pin, pull
from voiced.catalog.store import Store, open_store
from voiced.cli.options import Verbs, add_config, settings_of
from voiced.config.settings import Models

ACTIONS = {
    "list": "what there is, under which licence, and what is here",
    "pull": "fetch what is missing here or damaged",
    "verify": "hash every file again; exit 1 when one is missing, damaged or unpinned",
    "pin": "fetch what has no hash, and write down which files came; look at them before you trust",
    "bundle": "pack the models for a machine without network",
    "install": "unpack what `bundle` packed",
}


def add(verbs: Verbs) -> None:
    """The verb, its actions and their options."""
    parser = verbs.add_parser("models", help="the catalogue: which models there are, and are here")
    actions = parser.add_subparsers(dest="action", metavar="|".join(ACTIONS), required=True)
    for action, purpose in ACTIONS.items():
        one = actions.add_parser(action, help=purpose, description=purpose)
        if action == "install":
            one.add_argument("archive", type=Path, metavar="ARCHIVE", help="as `bundle` wrote it")
        else:
            one.add_argument("name", nargs="?", metavar="PROFILE", help="a profile, or one model")
        if action == "bundle":
            one.add_argument("--out", type=Path, required=True, metavar="ARCHIVE", help="a .tar")
        add_config(one)
        one.add_argument("--json", action="store_true", help="one JSON object on stdout")


def run(args: argparse.Namespace) -> int:
    """0; 1 when `verify` found something. Raises VoicedError for the dispatcher."""
    settings = settings_of(args).models
    if args.action == "install":
        return _install(args.archive, settings, as_json=args.json)
    store = _opened(settings)
    if args.action == "list":
        models = list(store.catalog.models) if args.name is None else _named(store, args.name)
        return _list(store, models, as_json=args.json)
    name = args.name or settings.profile
    models = _named(store, name)
    match args.action:
        case "pull":
            return _pull(store, models, as_json=args.json)
        case "pin":
            return _pin(store, models, settings, as_json=args.json)
        case "bundle":
            digest = bundle.pack(args.out, name, models, store, settings)
            size = args.out.stat().st_size
            told = {"archive": str(args.out), "sha256": digest, "bytes": size}
            text = f"{args.out}: {size // 1_000_000} MB, SHA-256 {digest}: compare it over there"
            print(json.dumps(told) if args.json else text)
            return 0
    return _verify(store, models, as_json=args.json)


def _opened(settings: Models) -> Store:
    """Nothing is used here, so a model whose licence forbids production may lie here as well."""
    return open_store(replace(settings, production=False))


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
        "memory_measured": model.measured,
        "state": next((s for s in ("unpinned", "damaged", "missing") if s in states), "ok"),
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


def _pin(store: Store, models: list[Model], settings: Models, *, as_json: bool) -> int:
    progress = Progress(sys.stderr)
    found = [one for model in models for one in pin(model, store, progress)]
    if found:
        write_pins(
            settings.pins_file, joined(read_pins(replace(settings, public_key_file=None)), found)
        )
    if as_json:
        rows = [asdict(one) for one in found]
        print(json.dumps({"pins_file": str(settings.pins_file), "pinned": rows}))
        return 0
    for one in found:
        print(f"{one.sha256}  {one.model}/{one.file}  {one.bytes} bytes")
    if found:
        print(f"written to {settings.pins_file}: compare with what the publisher says")
        if settings.public_key_file is not None:
            print("it must be signed again, as the catalogue is")
    else:
        print("nothing to pin: the SHA-256 of every file is known")
    return 0


def _install(archive: Path, settings: Models, *, as_json: bool) -> int:
    progress = Progress(sys.stderr)
    store, models, written = bundle.install(archive, settings, _opened, progress)
    for model in models:
        _cut(store, model)
    if as_json:
        print(json.dumps({"dir": str(store.directory), "installed": written}))
    else:
        print(f"{len(written)} files were installed: the models are in {store.directory}, intact")
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
