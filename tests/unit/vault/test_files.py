"""Files that survive a crash, and files of which nothing is left."""

import os
from pathlib import Path

import pytest

from voiced.vault import files

pytestmark = pytest.mark.unit


def test_what_is_put_in_place_of_another_leaves_zeros_where_that_was(tmp_path: Path) -> None:
    """The old file may still be open, or lie in freed blocks: its bytes are gone."""
    path = tmp_path / "key"
    files.put(path, b"the old key")
    with path.open("rb") as old:
        files.put(path, b"the new key")

        assert bytes(11) == old.read()
    assert b"the new key" == path.read_bytes()
    assert ["key"] == [one.name for one in tmp_path.iterdir()]


def test_what_is_destroyed_is_overwritten_before_it_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "key"
    files.put(path, b"the key")
    with path.open("rb") as old:
        files.destroy(path)

        assert bytes(7) == old.read()
    assert not path.exists()
    files.destroy(path)  # once more is no error


def test_nobody_else_may_read_what_is_made(tmp_path: Path) -> None:
    files.put(tmp_path / "key", b"k")
    os.close(files.create(tmp_path / "call"))

    assert [0o600, 0o600] == [(tmp_path / n).stat().st_mode & 0o777 for n in ("key", "call")]


def test_a_file_is_made_once(tmp_path: Path) -> None:
    os.close(files.create(tmp_path / "call"))

    with pytest.raises(FileExistsError):
        files.create(tmp_path / "call")
