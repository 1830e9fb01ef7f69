"""What was measured goes into the catalogue, and nothing else in it moves."""

from pathlib import Path

import pytest

from voiced.catalog.facts import write_facts
from voiced.errors import ConfigError, UnavailableError

pytestmark = pytest.mark.unit

CATALOG = """\
# Ours.
[[models]]
name = "ears"  # of the ward
role = "stt"

[models.facts]
languages = ["en", "ko"]

[models.facts.window_s]
en = [9, 30]  # by 75 clips

[[models]]
name = "other"
role = "stt"
"""


@pytest.fixture
def catalog(tmp_path: Path) -> Path:
    path = tmp_path / "catalog.toml"
    path.write_text(CATALOG)
    return path


def test_a_language_is_added_and_every_other_line_stays(catalog: Path) -> None:
    write_facts(catalog, "ears", {"window_s": {"ko": [12, 30]}})

    told = catalog.read_text().splitlines()
    assert "ko = [12, 30]" in told
    assert CATALOG.splitlines() == [line for line in told if line != "ko = [12, 30]"]
    assert [catalog] == list(catalog.parent.iterdir())


def test_what_was_there_is_replaced(catalog: Path) -> None:
    write_facts(catalog, "ears", {"window_s": {"en": [10, 30]}})

    assert "en = [10, 30]  # by 75 clips" in catalog.read_text()


def test_a_model_without_facts_is_given_some(catalog: Path) -> None:
    write_facts(catalog, "other", {"tokens_per_s": {"en": 9}})

    assert catalog.read_text().endswith("\n[models.facts.tokens_per_s]\nen = 9\n")


def test_a_model_of_another_catalogue_is_not_invented(catalog: Path) -> None:
    with pytest.raises(ConfigError, match="no model 'third' in it: name the catalogue"):
        write_facts(catalog, "third", {"window_s": {"en": []}})

    assert CATALOG == catalog.read_text()


def test_a_catalogue_that_is_no_toml_or_not_there_is_named(tmp_path: Path) -> None:
    broken = tmp_path / "broken.toml"
    broken.write_text("[[models")

    with pytest.raises(ConfigError, match="broken"):
        write_facts(broken, "ears", {})
    with pytest.raises(UnavailableError, match="cannot be read"):
        write_facts(tmp_path / "none.toml", "ears", {})
