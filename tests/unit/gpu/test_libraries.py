"""The card's libraries come from the lock, all of them, before any engine looks for its own."""

from pathlib import Path

import pytest

from voiced.errors import UnavailableError
from voiced.gpu import libraries

pytestmark = pytest.mark.unit


def laid_out(root: Path, *names: str) -> Path:
    for name in names:
        folder = root / "nvidia" / name.partition(".")[0] / "lib"
        folder.mkdir(parents=True)
        (folder / name).touch()
    return root


def test_they_are_loaded_each_after_what_it_needs(tmp_path: Path) -> None:
    loaded: list[str] = []
    libraries.preload(laid_out(tmp_path, *libraries.ORDER), loaded.append)

    assert list(libraries.ORDER) == [Path(path).name for path in loaded]


def test_one_that_is_missing_is_named_and_none_is_loaded(tmp_path: Path) -> None:
    loaded: list[str] = []
    root = laid_out(tmp_path, *(n for n in libraries.ORDER if "cublasLt" not in n))

    with pytest.raises(UnavailableError, match=r"libcublasLt\.so\.12: not below.*gpu\.txt, whole"):
        libraries.preload(root, loaded.append)
    assert [] == loaded


def test_one_that_cannot_be_loaded_is_named(tmp_path: Path) -> None:
    def load(path: str) -> None:
        if "cudnn" in path:
            raise OSError

    with pytest.raises(UnavailableError, match="cudnn"):
        libraries.preload(laid_out(tmp_path, *libraries.ORDER), load)
