"""The site's key and the keys of calls."""

import base64
from pathlib import Path

import pytest

from voiced.errors import ConfigError, Damaged, UnavailableError
from voiced.vault.keys import SiteKey, SiteKeys, read_site_keys, wrapped_by

pytestmark = pytest.mark.unit

OLD, NEW = SiteKey.of(b"o" * 32), SiteKey.of(b"n" * 32)
CALL_KEY = bytes(range(32))


def test_a_call_s_key_comes_back_and_its_wrapping_shows_nothing_of_it() -> None:
    wrapped = SiteKeys([NEW]).wrap("c1", CALL_KEY)

    assert CALL_KEY == SiteKeys([NEW]).unwrap("c1", wrapped)
    assert CALL_KEY[:8] not in wrapped
    assert NEW.name == wrapped_by(wrapped)


def test_a_key_of_one_call_does_not_open_another() -> None:
    wrapped = SiteKeys([NEW]).wrap("c1", CALL_KEY)

    with pytest.raises(Damaged, match="c2"):
        SiteKeys([NEW]).unwrap("c2", wrapped)


@pytest.mark.parametrize("spoil", [lambda w: w[:-1], lambda w: w[:-1] + bytes([w[-1] ^ 1])])
def test_a_damaged_key_is_named_and_never_used(spoil: "object") -> None:
    wrapped = SiteKeys([NEW]).wrap("c1", CALL_KEY)

    with pytest.raises(Damaged, match="key of call c1"):
        SiteKeys([NEW]).unwrap("c1", spoil(wrapped))  # type: ignore[operator]


def test_an_older_site_key_still_opens_and_no_longer_wraps() -> None:
    wrapped = SiteKeys([OLD]).wrap("c1", CALL_KEY)
    both = SiteKeys([NEW, OLD])

    assert CALL_KEY == both.unwrap("c1", wrapped)
    assert NEW.name == wrapped_by(both.wrap("c1", CALL_KEY))
    with pytest.raises(UnavailableError, match=OLD.name):
        SiteKeys([NEW]).unwrap("c1", wrapped)


def test_the_file_has_a_key_a_line_the_present_one_first(tmp_path: Path) -> None:
    file = tmp_path / "vault-key"
    lines = [base64.b64encode(key.secret).decode() for key in (NEW, OLD)]
    file.write_text("\n".join(lines) + "\n")

    keys = read_site_keys(file)

    assert NEW.name == keys.present.name
    assert CALL_KEY == keys.unwrap("c1", SiteKeys([OLD]).wrap("c1", CALL_KEY))


@pytest.mark.parametrize(
    "text", ["", "short\n", "A" * 43 + "=\nnot base64!\n", "QUJD\n", "\u00e9\n"]
)
def test_a_file_that_is_no_key_is_refused_without_showing_it(tmp_path: Path, text: str) -> None:
    file = tmp_path / "vault-key"
    file.write_text(text)

    with pytest.raises(ConfigError, match=r"vault\.key_file") as refused:
        read_site_keys(file)
    assert not text.strip() or text.strip() not in str(refused.value)


def test_a_site_key_does_not_show_itself() -> None:
    assert "nnnn" not in repr(NEW)
