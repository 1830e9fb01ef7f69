"""Where the key that seals the audit comes from."""

from pathlib import Path

import pytest

from voiced.audit import keys
from voiced.audit.chain import Key
from voiced.audit.keys import sealing_keys
from voiced.config.settings import Audit
from voiced.errors import ConfigError

pytestmark = pytest.mark.unit

FILE, CREDENTIAL, OLD = (letter * 32 for letter in (b"f", b"c", b"o"))


@pytest.fixture(autouse=True)
def _no_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys, "USUAL", tmp_path / "usual")
    monkeypatch.delenv("CREDENTIALS_DIRECTORY", raising=False)


def written(path: Path, key: bytes) -> Path:
    path.write_bytes(key + b"\n")
    return path


def test_without_a_key_there_is_no_audit() -> None:
    assert None is sealing_keys(Audit())


def test_the_units_credential_goes_before_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file that the settings name is root's: its own commands read it, the daemon cannot."""
    settings = Audit(key_file=written(tmp_path / "key", FILE))
    written(tmp_path / "audit-key", CREDENTIAL)
    found = sealing_keys(settings)
    assert found is not None
    assert Key(FILE).name == found.own.name
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))

    found = sealing_keys(settings)
    assert found is not None
    assert Key(CREDENTIAL).name == found.own.name


def test_a_unit_without_the_file_has_no_audit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its credential is the word that the unit sets then."""
    written(tmp_path / "audit-key", b"none")
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))

    assert None is sealing_keys(Audit())


def test_roots_commands_find_the_key_at_its_usual_place(tmp_path: Path) -> None:
    written(tmp_path / "usual", FILE)

    assert sealing_keys(Audit()) is not None


def test_old_keys_only_read(tmp_path: Path) -> None:
    old = written(tmp_path / "old", OLD)
    found = sealing_keys(Audit(key_file=written(tmp_path / "key", FILE), old_key_files=(old,)))

    assert found is not None
    assert [Key(FILE).name, Key(OLD).name] == [key.name for key in found.all]


def test_a_file_that_is_named_must_be_there_and_long_enough(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"audit.key_file = .*cannot be read"):
        sealing_keys(Audit(key_file=tmp_path / "nothing"))
    with pytest.raises(ConfigError, match="at least 32 bytes"):
        sealing_keys(Audit(key_file=written(tmp_path / "short", b"short")))
