"""One archive of all that cannot be made again, and back: kept calls, the audit, the configuration.

    vault/voiced.db   vault/keys/*   vault/calls/*   audit/*
    config/voiced.toml   config/agents.d/*
    manifest.json     the SHA-256 of each, and which site key the calls need; it comes last

The site key is not in it, and is not needed to make it. To restore is to prove first that somebody
has that key: every call is opened and read to its end before anything is put in place. It does not
know command lines.
"""

import fcntl
import hashlib
import json
import os
import re
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import IO

from voiced.audit.folder import LOCK
from voiced.errors import Damaged, UnavailableError
from voiced.vault import files
from voiced.vault.index import Index
from voiced.vault.keyring import PROBE
from voiced.vault.keys import SiteKeys, wrapped_by
from voiced.vault.showing import opened_call
from voiced.vault.vault import CALLS, INDEX, KEYS, Vault

MANIFEST = "manifest.json"
SETTINGS, AGENTS = "config/voiced.toml", "config/agents.d"
_NAMES = re.compile(
    r"vault/(voiced\.db|(keys|calls)/[a-z0-9]+)|audit/[\w-][\w.-]*"
    r"|config/voiced\.toml|config/agents\.d/[\w-]+\.toml"
)
_PRIVATE = 0o600


@dataclass(frozen=True, slots=True)
class Site:
    """Where what is backed up lies on a machine."""

    vault: Path
    audit: Path
    settings: Path | None
    agents: Path


@dataclass(slots=True)
class Proof:
    """What somebody with the site key can read of a backup."""

    made_at: str
    site_key: str
    """The one that the backup needs, and that was shown."""
    calls: int = 0
    """Read to their end."""
    damaged: list[str] = field(default_factory=list)
    """Calls that cannot be, by name."""


def back_up(site: Site, archive: Path, made_at: str) -> dict[str, str]:
    """Makes the archive, whole or not at all; returns the SHA-256 of each file in it.

    The daemon may be at work. Raises UnavailableError.
    """
    partial = archive.with_name(f"{archive.name}.partial")
    try:
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _PRIVATE)
        with os.fdopen(descriptor, "wb") as raw:
            with tarfile.open(fileobj=raw, mode="w|", format=tarfile.PAX_FORMAT) as tar:
                hashes = {name: _add(tar, name, file) for name, file in _all(site)}
                manifest = {"version": 1, "made_at": made_at, "files": hashes}
                _add(tar, MANIFEST, BytesIO(json.dumps(manifest, indent=1).encode()))
            raw.flush()
            os.fsync(raw.fileno())
        partial.rename(archive)
        files.sync(archive.parent)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise UnavailableError(f"{error.filename or archive}: {error.strerror}") from None
    return hashes


@contextmanager
def unpacked(archive: Path, beside: Path) -> Iterator[tuple[Path, str]]:
    """What is in the archive, in a folder of its own for a while, and when it was made.

    Raises Damaged when it is not as it was written, UnavailableError.
    """
    with tempfile.TemporaryDirectory(prefix=".restoring-", dir=beside) as name:
        folder = Path(name)
        hashes: dict[str, str] = {}
        try:
            with tarfile.open(archive, mode="r|") as tar:
                for member in tar:
                    hashes[member.name] = _taken(tar, member, archive, folder)
            hashes.pop(MANIFEST)
            manifest = json.loads((folder / MANIFEST).read_bytes())
            expected, made_at = dict(manifest["files"]), str(manifest["made_at"])
        except OSError as error:
            raise UnavailableError(f"{error.filename or archive}: {error.strerror}") from None
        except (tarfile.TarError, ValueError, LookupError, TypeError, EOFError):
            raise Damaged(f"{archive}: is no backup, or not a whole one") from None
        wrong = sorted(name for name in hashes | expected if hashes.get(name) != expected.get(name))
        if wrong:
            raise Damaged(f"{archive}: {wrong[0]} is not what was backed up: take another backup")
        yield folder, made_at


def prove(folder: Path, made_at: str, site: SiteKeys) -> Proof:
    """Opens every call of an unpacked backup with the site key.

    Raises UnavailableError when it is not the key that the backup needs, or there is no vault.
    """
    vault_folder = folder / "vault"
    if not (vault_folder / INDEX).is_file():
        raise UnavailableError("the backup holds no vault: no call was kept where it was made")
    with closing(Vault(vault_folder, lambda: 0)) as vault:
        vault.keys.open(PROBE, site)
        proof = Proof(made_at, wrapped_by((vault_folder / KEYS / PROBE).read_bytes()))
        for row in vault.index.rows():
            if row.erased_at is not None or not vault.keys.holds(row.id):
                continue
            try:
                damage = opened_call(vault, row.id, site).damage
            except (Damaged, UnavailableError):
                damage = "its key"
            if damage is None:
                proof.calls += 1
            else:
                proof.damaged.append(row.id)
    return proof


def put_in_place(folder: Path, site: Site) -> None:
    """Moves what was unpacked to where it belongs; last what says that there is something.

    Raises UnavailableError when something is there already.
    """
    for there in (site.vault / INDEX, site.audit / "head"):
        if there.exists():
            raise UnavailableError(
                f"{there}: there is one already: a backup is restored to an empty machine only"
            )
    last = ("head", INDEX)
    for source, target in ((folder / "audit", site.audit), (folder / "vault", site.vault)):
        found = [path for path in source.rglob("*") if path.is_file()]
        for path in sorted(found, key=lambda path: path.name in last):
            _move(path, target / path.relative_to(source))


def put_configuration(folder: Path, settings: Path) -> bool:
    """The settings file of the backup, where there is none yet. False: there is one."""
    if settings.exists() or not (folder / SETTINGS).is_file():
        return False
    _move(folder / SETTINGS, settings)
    return True


def put_agents(folder: Path, agents: Path) -> list[str]:
    """The agents of the backup whose files are not there; their names."""
    found = sorted((folder / AGENTS).glob("*.toml")) if (folder / AGENTS).is_dir() else []
    missing = [path for path in found if not (agents / path.name).exists()]
    for path in missing:
        _move(path, agents / path.name)
    return [path.stem for path in missing]


def _all(site: Site) -> Iterator[tuple[str, IO[bytes]]]:
    """Every file, with its name in the archive. The index first: what it knows of is there."""
    if (site.vault / INDEX).is_file():
        with tempfile.TemporaryDirectory(dir=site.vault) as folder:
            copy = Path(folder) / INDEX
            with closing(Index(site.vault / INDEX)) as index:
                index.copy_to(copy)
            yield from _opened("vault", [copy])
        for kind in (KEYS, CALLS):
            names = sorted((site.vault / kind).iterdir())
            whole = [path for path in names if not path.name.endswith(files.UNFINISHED)]
            yield from _opened(f"vault/{kind}", whole)
    if site.audit.is_dir():
        with _held(site.audit / LOCK):
            yield from _opened("audit", [p for p in sorted(site.audit.iterdir()) if p.name != LOCK])
    if site.settings is not None:
        yield from _opened("config", [site.settings], SETTINGS)
    if site.agents.is_dir():
        yield from _opened(AGENTS, sorted(site.agents.glob("*.toml")))


def _opened(
    folder: str, paths: Iterable[Path], name: str | None = None
) -> Iterator[tuple[str, IO[bytes]]]:
    for path in paths:
        try:
            file = path.open("rb")
        except FileNotFoundError:
            continue  # a call that was erased a moment ago
        with file:
            yield name or f"{folder}/{path.name}", file


@contextmanager
def _held(lock: Path) -> Iterator[None]:
    """Nobody appends to the audit meanwhile."""
    with lock.open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _add(tar: tarfile.TarFile, name: str, file: IO[bytes]) -> str:
    """A file as long as it is now; returns its SHA-256."""
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = size, _PRIVATE
    hashing = _Hashing(file)
    tar.addfile(entry, hashing)  # type: ignore[arg-type]  # it only reads
    return hashing.digest.hexdigest()


class _Hashing:
    """A file that is read once, and its SHA-256."""

    def __init__(self, file: IO[bytes]) -> None:
        self.digest = hashlib.sha256()
        self._file = file

    def read(self, size: int) -> bytes:
        content = self._file.read(size)
        self.digest.update(content)
        return content


def _taken(tar: tarfile.TarFile, member: tarfile.TarInfo, archive: Path, folder: Path) -> str:
    """Unpacks one file; returns its SHA-256. Raises Damaged for what no backup holds."""
    known = member.name == MANIFEST or _NAMES.fullmatch(member.name)
    content = tar.extractfile(member) if known and member.isreg() else None
    if content is None:
        raise Damaged(f"{archive}: is no backup of voiced: it holds something else")
    target = folder / member.name
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    digest = hashlib.sha256()
    with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE), "wb") as file:
        while piece := content.read(1 << 20):
            digest.update(piece)
            file.write(piece)
        file.flush()
        os.fsync(file.fileno())
    return digest.hexdigest()


def _move(source: Path, target: Path) -> None:
    """To another folder of the same owner as that folder; on another disk too."""
    files.folder(target.parent)
    files.put(target, source.read_bytes())
