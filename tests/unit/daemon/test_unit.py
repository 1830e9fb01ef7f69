"""What a unit hands over is laid over the settings."""

import socket
from pathlib import Path

import pytest

from voiced.config.settings import Http
from voiced.daemon.unit import laid_over
from voiced.errors import ConfigError
from voiced.web.keys import read_keys

pytestmark = pytest.mark.unit


def test_outside_a_unit_the_settings_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CREDENTIALS_DIRECTORY", raising=False)

    assert Http(port=81) == laid_over(Http(port=81), None)


def test_the_unit_s_credential_is_the_token(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "token").write_text("a-token-of-sixteen-or-more\n")
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))

    assert tmp_path / "token" == laid_over(Http(), None).token_file


def test_each_of_the_unit_s_credentials_takes_the_place_of_a_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("keys", "pass_key", "certificate", "private_key"):
        (tmp_path / name).touch()
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))
    http = laid_over(Http(), None)

    found = [http.keys_file, http.pass_key_file, http.certificate_file, http.private_key_file]
    assert ["keys", "pass_key", "certificate", "private_key"] == [p and p.name for p in found]
    assert None is http.token_file


def test_a_token_file_of_the_site_s_own_is_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "token").write_text("a-token-of-sixteen-or-more\n")
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))

    assert Path("/own") == laid_over(Http(token_file=Path("/own")), None).token_file


def test_a_socket_for_all_the_world_needs_a_token(monkeypatch: pytest.MonkeyPatch) -> None:
    """[http] says loopback, but systemd has opened the port to everybody."""
    monkeypatch.delenv("CREDENTIALS_DIRECTORY", raising=False)
    with socket.create_server(("0.0.0.0", 0)) as given:
        http = laid_over(Http(host="127.0.0.1"), given)

        assert given.getsockname()[1] == http.port
        with pytest.raises(ConfigError, match=r"without http\.keys_file or"):
            read_keys(http)
