"""Without the token nobody gets in; without a token nobody is asked from afar."""

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request

from voiced.config.settings import Http
from voiced.errors import ConfigError, Refused
from voiced.web.access import check, read_token

pytestmark = pytest.mark.unit

TOKEN = b"a-token-of-the-site"


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost"])
def test_on_loopback_no_token_is_needed(host: str) -> None:
    assert None is read_token(Http(host=host))


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "voice.example.org", ""])
def test_anywhere_else_a_token_is_needed(host: str) -> None:
    with pytest.raises(ConfigError, match=r"http\.host = .*without http\.token_file"):
        read_token(Http(host=host))


@pytest.mark.parametrize("text", [TOKEN, TOKEN + b"\n", b"  " + TOKEN + b" \r\nmore\n"])
def test_the_token_is_the_first_line_of_its_file(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "token").write_bytes(text)

    assert read_token(Http(host="0.0.0.0", token_file=tmp_path / "token")) == TOKEN


@pytest.mark.parametrize("text", [b"", b"\n" + TOKEN, b"brief", b"x" * 15])
def test_a_short_token_is_refused_and_not_shown(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "token").write_bytes(text)
    with pytest.raises(ConfigError, match="under 16 characters") as refusal:
        read_token(Http(token_file=tmp_path / "token"))

    assert not text.strip() or text.strip().decode() not in str(refusal.value)


def test_a_token_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"http\.token_file = '.*none': No such file"):
        read_token(Http(token_file=tmp_path / "none"))


@pytest.mark.parametrize(
    "shown", [f"Bearer {TOKEN.decode()}", f"bearer  {TOKEN.decode()} ", f"BEARER {TOKEN.decode()}"]
)
def test_the_right_token_gets_in(shown: str) -> None:
    check(make_mocked_request("GET", "/", headers={"Authorization": shown}), TOKEN)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": ""},
        {"Authorization": "Bearer"},
        {"Authorization": "Bearer a-token-of-another"},
        {"Authorization": f"Bearer {TOKEN.decode()}x"},
        {"Authorization": f"Basic {TOKEN.decode()}"},
        {"Authorization": TOKEN.decode()},
        {"Authorization": "Bearer \udcff\udcfe"},
        {"Authorization": "Bearer b\u00e4r"},
    ],
    ids=["none", "empty", "scheme", "other", "longer", "basic", "bare", "bytes", "letters"],
)
def test_anything_else_does_not(headers: dict[str, str]) -> None:
    with pytest.raises(Refused) as refusal:
        check(cast(web.Request, SimpleNamespace(headers=headers)), TOKEN)

    assert (401, "unauthorized") == (refusal.value.status, refusal.value.kind)


def test_where_none_is_needed_any_token_gets_in() -> None:
    check(make_mocked_request("GET", "/", headers={"Authorization": "Bearer x"}), None)


def test_tokens_are_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the one function that promises it."""
    compared: list[tuple[bytes, bytes]] = []

    def compare(one: bytes, other: bytes) -> bool:
        compared.append((one, other))
        return False

    monkeypatch.setattr("hmac.compare_digest", compare)
    with pytest.raises(Refused):
        check(make_mocked_request("GET", "/", headers={"Authorization": "Bearer x"}), TOKEN)

    assert [(b"x", TOKEN)] == compared
