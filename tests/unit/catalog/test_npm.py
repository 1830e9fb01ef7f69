"""Members out of npm's packages, which the npm program fetches."""

import io
import os
import tarfile
from pathlib import Path

import pytest

from voiced.catalog.model import NpmSource
from voiced.catalog.npm import Tarballs, member
from voiced.errors import Damaged, UnavailableError

pytestmark = pytest.mark.unit

HEART = b"a voice"


def source(member: str = "package/voices/heart.bin", package: str = "voices") -> NpmSource:
    return NpmSource(kind="npm", package=package, version="1.2.1", member=member)


def pack(path: Path, **members: bytes) -> Path:
    """A package as npm packs it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w:gz") as archive:
        for name, content in ({"heart.bin": HEART} | members).items():
            entry = tarfile.TarInfo(f"package/voices/{name}")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "pull").mkdir()
    return tmp_path / "pull"


def test_a_member_comes_out_whole(tmp_path: Path) -> None:
    assert HEART == b"".join(member(pack(tmp_path / "a.tgz"), source()))


def test_a_member_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(Damaged, match=r"voices@1\.2\.1 has no member package/other"):
        list(member(pack(tmp_path / "a.tgz"), source("package/other")))


@pytest.mark.parametrize("content", [b"<html>moved</html>", b"", b"\x1f\x8b\x08\x00"])
def test_what_is_no_package_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.tgz").write_bytes(content)

    with pytest.raises(Damaged, match="not a whole package"):
        list(member(tmp_path / "a.tgz", source()))


def test_half_a_package_is_no_package(tmp_path: Path) -> None:
    path = pack(tmp_path / "a.tgz", **{"long.bin": os.urandom(100_000)})
    path.write_bytes(path.read_bytes()[:50_000])

    with pytest.raises(Damaged, match="not a whole package"):
        list(member(path, source("package/voices/long.bin")))


def test_without_npm_it_is_said_what_to_install(folder: Path) -> None:
    with pytest.raises(UnavailableError, match=r"voices@1\.2\.1: .*install npm"):
        Tarballs(folder, program="no-such-program").get(source(), print)


def npm(folder: Path, script: str) -> str:
    """A program that is taken for npm."""
    program = folder / "npm"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return str(program)


def test_with_npm_it_is_asked_and_runs_no_script_of_the_package(
    tmp_path: Path, folder: Path
) -> None:
    packed = pack(tmp_path / "packed.tgz")
    program = npm(tmp_path, f'echo "$@" > {tmp_path}/asked; cp {packed} "$4/voices.tgz"')

    path = Tarballs(folder, program=program).get(source(), print)

    assert HEART == b"".join(member(path, source()))
    asked = (tmp_path / "asked").read_text().split()
    assert ["pack", "voices@1.2.1", "--pack-destination"] == asked[:3]
    assert "--ignore-scripts" in asked


def test_a_package_is_fetched_once(tmp_path: Path, folder: Path) -> None:
    packed = pack(tmp_path / "packed.tgz")
    tarballs = Tarballs(
        folder, program=npm(tmp_path, f'echo x >> {tmp_path}/asked; cp {packed} "$4/voices.tgz"')
    )

    assert tarballs.get(source(), print) == tarballs.get(source("package/other"), print)
    assert "x\n" == (tmp_path / "asked").read_text()


def test_what_npm_says_is_told(tmp_path: Path, folder: Path) -> None:
    program = npm(tmp_path, "echo 'npm error 404 Not Found' >&2; exit 1")

    with pytest.raises(UnavailableError, match=r"voices@1\.2\.1: npm cannot fetch it .*404"):
        Tarballs(folder, program=program).get(source(), print)
