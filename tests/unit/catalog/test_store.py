"""What is on this machine, and that it is what the catalogue says."""

from collections.abc import Callable
from pathlib import Path

import pytest

from voiced.catalog.model import Model
from voiced.catalog.store import Store
from voiced.errors import ConfigError, Damaged, UnavailableError

pytestmark = pytest.mark.unit

Tiny = Callable[..., Model]
Keep = Callable[..., Store]


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """The folder of the model `tiny`, with the file that the catalogue expects."""
    folder = tmp_path / "models/tiny"
    folder.mkdir(parents=True)
    (folder / "weights").write_bytes(b"good")
    return folder


def test_an_intact_file_is_found(tiny: Tiny, keep: Keep, here: Path) -> None:
    assert here / "weights" == keep(tiny()).path_of("tiny", "weights")


def test_a_missing_file_is_named_with_what_to_run(tiny: Tiny, keep: Keep) -> None:
    with pytest.raises(UnavailableError, match=r"tiny/weights is missing.*voiced models pull"):
        keep(tiny()).path_of("tiny", "weights")


def test_a_damaged_file_is_never_handed_out(tiny: Tiny, keep: Keep, here: Path) -> None:
    (here / "weights").write_bytes(b"evil")

    with pytest.raises(Damaged, match="tiny/weights: SHA-256 is"):
        keep(tiny()).path_of("tiny", "weights")


def test_a_file_changed_after_it_was_verified_is_found_out(
    tiny: Tiny, keep: Keep, here: Path
) -> None:
    keep(tiny()).path_of("tiny", "weights")
    (here / "weights").write_bytes(b"evil, longer")

    with pytest.raises(Damaged):
        keep(tiny()).path_of("tiny", "weights")


def test_a_file_is_hashed_once_until_it_changes(
    tiny: Tiny, keep: Keep, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(tiny()).path_of("tiny", "weights")
    hashed: list[Path] = []
    monkeypatch.setattr("voiced.catalog.digest.sha256_of", lambda path: hashed.append(path) or "")

    keep(tiny()).path_of("tiny", "weights")

    assert [] == hashed


def test_verifying_afresh_does_not_trust_the_memory(tiny: Tiny, keep: Keep, here: Path) -> None:
    """A file whose size and time of change were put back is found by `voiced models verify`."""
    model = tiny()
    keep(model).path_of("tiny", "weights")
    (here / "weights").write_bytes(b"evil")
    keep(model).learn(model, model.files[0])

    assert "ok" == keep(model).state_of(model, model.files[0])
    assert "damaged" == keep(model).state_of(model, model.files[0], fresh=True)


@pytest.mark.parametrize("memory", ["", "[]", '{"tiny/weights": 3}', '{"tiny/weights": [1]}'])
def test_a_memory_that_makes_no_sense_is_forgotten(
    tiny: Tiny, keep: Keep, here: Path, memory: str
) -> None:
    (here.parent / ".verified.json").write_text(memory)

    assert here / "weights" == keep(tiny()).path_of("tiny", "weights")


def test_production_refuses_a_model_whose_licence_forbids_it(
    tiny: Tiny, keep: Keep, here: Path
) -> None:
    with pytest.raises(ConfigError, match=r"'tiny' may not be used in production.*CC-BY-NC-4\.0"):
        keep(tiny(production=False)).path_of("tiny", "weights")


def test_a_demonstration_may_use_it(tiny: Tiny, keep: Keep, here: Path) -> None:
    store = keep(tiny(production=False), production=False)

    assert here / "weights" == store.path_of("tiny", "weights")


def test_an_unknown_model_is_refused_with_those_that_there_are(tiny: Tiny, keep: Keep) -> None:
    with pytest.raises(ConfigError, match=r"no model 'huge'; there are: tiny"):
        keep(tiny()).path_of("huge", "weights")


def test_an_unknown_file_is_refused_with_those_that_there_are(tiny: Tiny, keep: Keep) -> None:
    with pytest.raises(ConfigError, match=r"no file 'x'; it has: weights"):
        keep(tiny()).path_of("tiny", "x")


def test_the_folder_is_handed_out_only_when_all_files_are_there(
    tiny: Tiny, keep: Keep, here: Path
) -> None:
    with pytest.raises(UnavailableError, match="tiny/config is missing"):
        keep(tiny(weights=b"good", config=b"{}")).directory_of("tiny")

    (here / "config").write_bytes(b"{}")

    assert here == keep(tiny(weights=b"good", config=b"{}")).directory_of("tiny")


class Maker:
    """Makes one part, and counts how often."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self, folder: Path) -> None:
        self.times += 1
        (folder / "part").write_bytes(b"made")


def test_what_is_derived_is_made_once(tiny: Tiny, keep: Keep, here: Path) -> None:
    make = Maker()

    first = keep(tiny()).derived("tiny", "cut-1", make)
    second = keep(tiny()).derived("tiny", "cut-1", make)

    assert (first, 1) == (second, make.times)
    assert b"made" == (first / "part").read_bytes()


def test_what_is_derived_is_made_again_when_somebody_changed_it(
    tiny: Tiny, keep: Keep, here: Path
) -> None:
    make = Maker()
    folder = keep(tiny()).derived("tiny", "cut-1", make)
    (folder / "part").write_bytes(b"evil!")

    assert folder == keep(tiny()).derived("tiny", "cut-1", make)
    assert (b"made", 2) == ((folder / "part").read_bytes(), make.times)


def test_another_recipe_or_another_version_of_the_files_is_another_folder(
    tiny: Tiny, keep: Keep, here: Path
) -> None:
    make = Maker()

    folders = {
        keep(tiny()).derived("tiny", "cut-1", make),
        keep(tiny()).derived("tiny", "cut-2", make),
        keep(tiny(weights=b"newer")).derived("tiny", "cut-1", make),
    }

    assert 3 == len(folders)


def test_nothing_half_made_is_left(tiny: Tiny, keep: Keep, here: Path) -> None:
    def fails(folder: Path) -> None:
        (folder / "part").write_bytes(b"half")
        raise UnavailableError("the graph is of another kind")

    with pytest.raises(UnavailableError, match="another kind"):
        keep(tiny()).derived("tiny", "cut-1", fails)

    assert ["weights"] == [path.name for path in here.iterdir()]
