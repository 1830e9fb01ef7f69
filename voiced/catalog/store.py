"""Where the models lie on this machine, and that each file is what the catalogue says.

    DIR/MODEL/FILE                  as pulled; its SHA-256 is in the catalogue
    DIR/MODEL/derived-RECIPE-HASH/  made here from those files; its SHA-256s are in made.json
    DIR/.verified.json              hashes already computed

It does not know how files get there (`pull`), nor what an engine does with them.
"""

import contextlib
import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from voiced.catalog.digest import Digests, sha256_of
from voiced.catalog.model import Catalog, Model, ModelFile
from voiced.catalog.reader import read_catalog
from voiced.config.settings import Models
from voiced.errors import ConfigError, Damaged, UnavailableError

_MADE = "made.json"


def open_store(settings: Models) -> "Store":
    """The store that the settings name. Raises ConfigError when the catalogue is wrong."""
    return Store(read_catalog(settings), settings.dir.expanduser(), production=settings.production)


class Store:
    """The models of one folder. Any thread, but one at a time."""

    def __init__(self, catalog: Catalog, directory: Path, *, production: bool) -> None:
        self.catalog = catalog
        self.directory = directory
        self._production = production
        self._digests = Digests(directory)

    def model(self, name: str) -> Model:
        """A model that may be used here. Raises ConfigError: unknown, or its licence forbids it."""
        model = self.catalog.model(name)
        if self._production and not model.production:
            raise ConfigError(
                f"models.production = true: {name!r} may not be used in production (licence: "
                f"{model.licence}): choose another profile, or write production = false where "
                "nobody but testers will call"
            )
        return model

    def path_of(self, name: str, file: str) -> Path:
        """A model's file, intact. Raises ConfigError, UnavailableError (missing) or Damaged."""
        model = self.model(name)
        wanted = model.file(file)
        path = self._place(model, wanted)
        check_pinned(model, wanted)
        if not path.is_file():
            raise UnavailableError(f"{path} is missing: run `voiced models pull {name}`")
        found = self._digests.of(path)
        if found != wanted.sha256:
            raise Damaged(
                f"{path}: SHA-256 is {found}, and the catalogue says {wanted.sha256}: "
                f"run `voiced models pull {name}`"
            )
        return path

    def directory_of(self, name: str) -> Path:
        """The folder that holds all of a model's files, each intact. Raises as `path_of`."""
        paths = [self.path_of(name, file.name) for file in self.model(name).files]
        return paths[0].parent

    def state_of(self, model: Model, file: ModelFile, *, fresh: bool = False) -> str:
        """`ok`, `missing`, `damaged` or `unpinned`; `fresh` hashes it though nothing changed."""
        path = self._place(model, file)
        if not file.pinned:
            return "unpinned"
        if not path.is_file():
            return "missing"
        found = self._digests.learn(path, sha256_of(path)) if fresh else self._digests.of(path)
        return "ok" if found == file.sha256 else "damaged"

    def learn(self, model: Model, file: ModelFile) -> None:
        """Remembers that a file was right when it was written, so that nobody hashes it."""
        self._digests.learn(self._place(model, file), file.sha256)

    def derived(self, name: str, recipe: str, make: Callable[[Path], None]) -> Path:
        """The folder of what `make(folder)` makes from the model's files.

        Made once, whole or not at all; made again when a file in it was changed since, when the
        model's own files are others, or when `recipe` is a new name. Raises UnavailableError when
        nothing can be written there.
        """
        versions = "".join(file.sha256 for file in self.model(name).files).encode()
        key = hashlib.sha256(versions).hexdigest()[:12]
        folder = self.directory / name / f"derived-{recipe}-{key}"
        if not self._made(folder):
            _make(folder, make)
        return folder

    def _made(self, folder: Path) -> bool:
        try:
            made = json.loads((folder / _MADE).read_text(encoding="utf-8"))
            return all(self._digests.of(folder / file) == hash_ for file, hash_ in made.items())
        except (OSError, ValueError):
            return False

    def _place(self, model: Model, file: ModelFile) -> Path:
        return self.directory / model.name / file.name


def check_pinned(model: Model, file: ModelFile) -> None:
    """Raises ConfigError: what is not known by its SHA-256 is not opened, nor kept."""
    if not file.pinned:
        raise ConfigError(
            f"catalog.toml: {model.name}/{file.name} has no SHA-256, so it is never loaded: run "
            f"`voiced models pin {model.name}` on a connected machine, or write its sha256 and "
            "bytes into a catalogue of your own"
        )


def _make(folder: Path, make: Callable[[Path], None]) -> None:
    """Makes a folder under a temporary name, and renames it when it is complete."""
    try:
        shutil.rmtree(folder, ignore_errors=True)
        temporary = Path(tempfile.mkdtemp(prefix=".making-", dir=folder.parent))
    except OSError as error:
        raise UnavailableError(
            f"{folder}: cannot be made ({error.strerror}): run `voiced models pull` as a user "
            "who may write there"
        ) from None
    try:
        make(temporary)
        made = {path.name: sha256_of(path) for path in sorted(temporary.iterdir())}
        (temporary / _MADE).write_text(json.dumps(made, indent=1), encoding="utf-8")
        temporary.chmod(0o755)
        with contextlib.suppress(OSError):
            temporary.rename(folder)  # fails when another process was quicker: its work is as good
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
