"""Where the key comes from, and that it is never told."""

from pathlib import Path

import pytest

from voiced.config.sonic import Sonic
from voiced.errors import ConfigError
from voiced.tts.sonic.choir import CREDENTIAL, read_key

pytestmark = pytest.mark.unit


def test_the_first_line_of_the_file_is_the_key(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_text("sk_abc \nsecond line\n")

    assert "sk_abc" == read_key(Sonic(key_file=path))


def test_without_a_file_it_is_the_units_credential(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / CREDENTIAL).write_text("sk_unit\n")
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))

    assert "sk_unit" == read_key(Sonic())


def test_a_site_may_need_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))
    assert "" == read_key(Sonic())
    monkeypatch.delenv("CREDENTIALS_DIRECTORY")
    assert "" == read_key(Sonic())


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"two words\n", b"\xff\n", b"a\tb\n"], ids=range(5)
)
def test_what_is_no_key_is_refused_without_being_shown(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "key"
    path.write_bytes(content)

    with pytest.raises(ConfigError, match=r"sonic\.key_file") as refused:
        read_key(Sonic(key_file=path))
    assert "words" not in str(refused.value)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        read_key(Sonic(key_file=tmp_path / "none"))
