"""What the daemon records of itself: that it began and ended, and which files and models hold.

It does not know how records are kept (`voiced.audit`), nor what the files say.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AsyncExitStack, suppress
from pathlib import Path

from voiced.audit.entries import DAEMON, DaemonStarted, DaemonStopped, FileInForce, ModelInForce
from voiced.audit.folder import Folder
from voiced.audit.keys import sealing_keys
from voiced.audit.model import NOWHERE, Audit
from voiced.audit.trail import Trail
from voiced.catalog.model import Model
from voiced.catalog.store import open_store
from voiced.config.agent import Agent
from voiced.config.settings import Settings
from voiced.daemon import voices
from voiced.daemon.plan import resident
from voiced.ops import log
from voiced.ops.health import VERSION
from voiced.ops.values import plain


def opened(settings: Settings, stack: AsyncExitStack) -> Audit:
    """The site's audit, closed with `stack`; one that forgets, where there is no key to seal it.

    Raises ConfigError and UnavailableError.
    """
    keys = sealing_keys(settings.audit)
    if keys is None:
        log.warning("audit.off", missing="audit.key_file")
        return NOWHERE
    trail = Trail(Folder(settings.audit.dir, keys, settings.audit.retention_days))
    stack.callback(trail.close)
    return trail


def began(
    audit: Audit,
    config: Path | None,
    settings: Settings,
    agents: Mapping[str, Agent],
    stack: AsyncExitStack,
) -> None:
    """From now on calls are answered, with these files and models, until `stack` is closed."""
    audit.note(DaemonStarted(plain(VERSION), settings.models.profile))
    stack.callback(audit.note, DaemonStopped())
    files_in_force(audit, DAEMON, config, settings)
    for model in _models(settings, agents):
        hashes = "".join(file.sha256 for file in model.files).encode()
        digest = hashlib.sha256(hashes).hexdigest()
        audit.note(ModelInForce(model.name, plain(model.version), digest))


def files_in_force(audit: Audit, actor: str, config: Path | None, settings: Settings) -> None:
    """The files of the configuration, as they were just read. `actor`: who had them read."""
    for path in _files(config, settings):
        with suppress(OSError):  # taken away since it was read
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            audit.note(FileInForce(actor, plain(f"{path.parent.name}/{path.name}"), digest))


def _files(config: Path | None, settings: Settings) -> Iterator[Path]:
    named = (config, settings.models.catalog, settings.http.keys_file)
    yield from (path for path in named if path is not None and path.is_file())
    for folder in (settings.calls.agents_dir, settings.tts.lexicon_dir):
        yield from sorted(folder.glob("*.toml"))


def _models(settings: Settings, agents: Mapping[str, Agent]) -> Iterable[Model]:
    store = open_store(settings.models)
    profile = store.catalog.profile(settings.models.profile)
    spoken = voices.models(agents.values(), profile, store, settings.sonic)
    return [store.catalog.model(name) for name in resident(profile, spoken, settings)]
