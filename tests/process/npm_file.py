"""Files of npm's packages that tests need: fetched once, by version and hash.

Without npm, or the registry that it is set up for, the test is skipped and says why.
"""

import hashlib
import tempfile
from pathlib import Path

import pytest

from voiced.catalog.model import NpmSource
from voiced.catalog.npm import Tarballs, member
from voiced.errors import UnavailableError

CACHE = Path("~/.cache/voiced/npm").expanduser()


def fetched(package: str, version: str, name: str, sha256: str) -> Path:
    """The file; a wrong hash fails the test."""
    kept = CACHE / f"{sha256[:16]}-{Path(name).name}"
    if not kept.exists():
        source = NpmSource(kind="npm", package=package, version=version, member=name)
        with tempfile.TemporaryDirectory() as folder:
            try:
                tarball = Tarballs(Path(folder)).get(source, lambda _share: None)
            except UnavailableError as absent:
                pytest.skip(str(absent))
            data = b"".join(member(tarball, source))
        assert sha256 == hashlib.sha256(data).hexdigest(), f"{package}@{version}: {name}"
        CACHE.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(data)
    assert sha256 == hashlib.sha256(kept.read_bytes()).hexdigest(), str(kept)
    return kept
