"""Files come whole and right, or not at all."""

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from voiced.catalog import pull as pulling
from voiced.catalog.model import Model
from voiced.catalog.progress import Progress
from voiced.catalog.pull import pull
from voiced.catalog.store import Store
from voiced.errors import Damaged, UnavailableError

pytestmark = pytest.mark.unit

Tiny = Callable[..., Model]
Keep = Callable[..., Store]


def pulled(model: Model, store: Store) -> list[str]:
    return pull(model, store, Progress(io.StringIO()))


def lying_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != ".lock")


def test_what_is_missing_is_fetched(tiny: Tiny, keep: Keep) -> None:
    store = keep(model := tiny(weights=b"good", config=b"{}"))

    assert ["weights", "config"] == pulled(model, store)
    assert b"good" == store.path_of("tiny", "weights").read_bytes()


def test_what_is_right_is_not_fetched_again(tiny: Tiny, keep: Keep, tmp_path: Path) -> None:
    store = keep(model := tiny())
    pulled(model, store)
    (tmp_path / "origin/tiny/weights").unlink()

    assert [] == pulled(model, store)


def test_only_what_is_damaged_is_fetched_again(tiny: Tiny, keep: Keep) -> None:
    store = keep(model := tiny(weights=b"good", config=b"{}"))
    pulled(model, store)
    store.path_of("tiny", "weights").write_bytes(b"damaged")

    assert ["weights"] == pulled(model, store)
    assert b"good" == store.path_of("tiny", "weights").read_bytes()


def test_a_wrong_hash_deletes_the_file_and_names_it(tiny: Tiny, keep: Keep, tmp_path: Path) -> None:
    store = keep(model := tiny())
    (tmp_path / "origin/tiny/weights").write_bytes(b"evil")

    with pytest.raises(Damaged, match="tiny/weights: deleted, because its SHA-256 is"):
        pulled(model, store)

    assert [] == lying_in(tmp_path / "models/tiny")


def test_a_damaged_file_does_not_outlive_a_fetch_that_brings_another_wrong_one(
    tiny: Tiny, keep: Keep, tmp_path: Path
) -> None:
    store = keep(model := tiny())
    pulled(model, store)
    store.path_of("tiny", "weights").write_bytes(b"damaged")
    (tmp_path / "origin/tiny/weights").write_bytes(b"evil")

    with pytest.raises(Damaged):
        pulled(model, store)

    assert [] == lying_in(tmp_path / "models/tiny")


def test_a_source_that_is_not_there_is_named(tiny: Tiny, keep: Keep, tmp_path: Path) -> None:
    store = keep(model := tiny())
    (tmp_path / "origin/tiny/weights").unlink()

    with pytest.raises(UnavailableError, match="origin/tiny/weights: cannot be read"):
        pulled(model, store)

    assert [] == lying_in(tmp_path / "models/tiny")


def test_what_a_killed_pull_left_behind_is_swept_away(
    tiny: Tiny, keep: Keep, tmp_path: Path
) -> None:
    store = keep(model := tiny())
    folder = tmp_path / "models/tiny"
    (folder / ".wheels-dead").mkdir(parents=True)
    (folder / ".wheels-dead/half.whl").write_bytes(b"half")
    (folder / "weights.partial").write_bytes(b"half")

    pulled(model, store)

    assert ["weights"] == lying_in(folder)


def test_too_little_room_is_said_before_anything_is_fetched(
    tiny: Tiny, keep: Keep, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        pulling.shutil, "disk_usage", lambda _: pulling.shutil._ntuple_diskusage(9, 9, 9)
    )
    store = keep(model := tiny())

    with pytest.raises(UnavailableError, match=r"tiny needs \d+ MB there, and 0 MB are free"):
        pulled(model, store)

    assert [] == lying_in(tmp_path / "models/tiny")


def test_a_folder_that_cannot_be_made_is_named(tiny: Tiny, keep: Keep, tmp_path: Path) -> None:
    (tmp_path / "models").write_text("a file where the folder should be")
    store = keep(model := tiny())

    with pytest.raises(UnavailableError, match="models/tiny: cannot be written"):
        pulled(model, store)
