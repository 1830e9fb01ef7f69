"""Without a key nobody gets in; where there is none nobody is asked from afar."""

from pathlib import Path

import pytest

from voiced.config.settings import Http
from voiced.errors import ConfigError
from voiced.web import keys
from voiced.web.keys import Key, Keys, Right, digested, read_keys

pytestmark = pytest.mark.unit

TOKEN = b"a-token-of-the-site"


def kept(*names: str) -> str:
    return "".join(f'[[key]]\nname = "{n}"\nsha256 = "{digested("vk_" + n)}"\n' for n in names)


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost"])
def test_on_loopback_no_key_is_needed(host: str) -> None:
    assert None is read_keys(Http(host=host))


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "voice.example.org", ""])
def test_anywhere_else_a_key_is_needed(host: str) -> None:
    with pytest.raises(ConfigError, match=r"http\.host = .*without http\.keys_file"):
        read_keys(Http(host=host))


def test_each_key_of_the_file_is_found_by_what_it_is_and_not_by_its_hash(tmp_path: Path) -> None:
    (tmp_path / "keys.toml").write_text(kept("ward", "lobby"))
    found = read_keys(Http(host="0.0.0.0", keys_file=tmp_path / "keys.toml"))
    assert found is not None

    names = [key and key.name for key in map(found.find, ("vk_ward", "vk_lobby"))]
    assert ["ward", "lobby"] == names
    assert [None] * 3 == [found.find(shown) for shown in ("", "ward", digested("vk_ward"))]


def test_a_key_that_nothing_is_written_of_places_calls_and_no_more(tmp_path: Path) -> None:
    (tmp_path / "keys.toml").write_text(kept("ward"))

    assert [Right.CALL] == [key.right for key in keys.in_file(tmp_path / "keys.toml")]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no key: make one"),
        (kept("ward", "ward"), "'ward': write each name once"),
        ('[[key]]\nname = "ward"\nsha256 = "plain"\n', "sha256"),
        ('[[key]]\nname = "Ward 3"\nsha256 = "' + "a" * 64 + '"\n', "name"),
        (kept("ward") + 'right = "all"\n', "right"),
        ('[[kye]]\nname = "ward"\n', "kye"),
    ],
)
def test_a_file_of_keys_that_is_wrong_is_told(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "keys.toml").write_text(text)

    with pytest.raises(ConfigError, match=said):
        read_keys(Http(keys_file=tmp_path / "keys.toml"))


def test_no_two_new_keys_are_alike_and_none_is_short() -> None:
    one, other = keys.new(), keys.new()

    assert one != other
    assert len(one) > 40


@pytest.mark.parametrize("text", [TOKEN, TOKEN + b"\n", b"  " + TOKEN + b" \r\nmore\n"])
def test_the_first_line_of_a_token_file_is_a_key_for_everything(
    tmp_path: Path, text: bytes
) -> None:
    (tmp_path / "token").write_bytes(text)
    found = read_keys(Http(host="0.0.0.0", token_file=tmp_path / "token"))

    assert found is not None
    assert Key(name="token", sha256=digested(TOKEN.decode()), right=Right.OPERATE) == found.find(
        TOKEN.decode()
    )


@pytest.mark.parametrize("text", [b"", b"\n" + TOKEN, b"brief", b"x" * 15])
def test_a_short_token_is_refused_and_not_shown(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "token").write_bytes(text)
    with pytest.raises(ConfigError, match="under 16 characters") as refusal:
        read_keys(Http(token_file=tmp_path / "token"))

    assert not text.strip() or text.strip().decode() not in str(refusal.value)


def test_a_token_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"http\.token_file = '.*none': No such file"):
        read_keys(Http(token_file=tmp_path / "none"))


def test_every_key_is_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the one function that promises it, and each time with all of them."""
    compared: list[str] = []

    def compare(one: str, _other: str) -> bool:
        compared.append(one)
        return True

    monkeypatch.setattr("hmac.compare_digest", compare)
    Keys([Key(name="a", sha256="a" * 64), Key(name="b", sha256="b" * 64)]).find("x")

    assert ["a" * 64, "b" * 64] == compared
