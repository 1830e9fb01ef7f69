"""`voiced cert` and `voiced token`: files that the daemon takes, and secrets that stay secret."""

import stat
from pathlib import Path

import pytest

from voiced.cli.main import main
from voiced.config.settings import Http
from voiced.web import tls
from voiced.web.keys import Right, read_keys

pytestmark = pytest.mark.unit

HOST = "voice.hospital.example"


def test_what_init_writes_is_what_the_daemon_shows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = main(["cert", "init", "--name", HOST, "--name", "10.1.2.3", "--dir", str(tmp_path)])
    http = Http(certificate_file=tmp_path / "tls.crt", private_key_file=tmp_path / "tls.key")
    shown = tls.read(http)

    assert 0 == made
    assert shown is not None
    assert (HOST, "10.1.2.3") == shown.names
    assert 0o640 == stat.S_IMODE((tmp_path / "tls.key").stat().st_mode)
    told = capsys.readouterr().out
    assert str(tmp_path / "tls.crt") in told
    assert "PRIVATE" not in told


def test_what_is_there_is_never_written_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "tls.key").write_text("precious")

    assert 78 == main(["cert", "init", "--name", HOST, "--dir", str(tmp_path)])
    assert "is there already" in capsys.readouterr().err
    assert "precious" == (tmp_path / "tls.key").read_text()


def test_the_next_request_is_for_the_key_that_is_in_use(tmp_path: Path) -> None:
    assert 0 == main(["cert", "init", "--name", HOST, "--dir", str(tmp_path)])
    key = (tmp_path / "tls.key").read_bytes()

    assert 0 == main(["cert", "csr", "--name", HOST, "--dir", str(tmp_path)])
    assert key == (tmp_path / "tls.key").read_bytes()
    assert "REQUEST" in (tmp_path / "tls.csr").read_text()


def test_a_folder_that_is_not_there_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 78 == main(["cert", "csr", "--name", HOST, "--dir", str(tmp_path / "none")])
    assert "none/tls.key: No such file" in capsys.readouterr().err


def test_a_new_key_is_shown_once_and_opens_the_daemon(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "keys.toml"
    keys = []
    for name, right in (("ward-3", "call"), ("prometheus", "watch")):
        assert 0 == main(["token", name, "--right", right, "--file", str(path)])
        keys.append(capsys.readouterr().out.strip())
    kept = read_keys(Http(keys_file=path))
    assert kept is not None

    rights = [key and key.right for key in map(kept.find, keys)]
    assert [Right.CALL, Right.WATCH] == rights
    assert [] == [key for key in keys if key in path.read_text()]


@pytest.mark.parametrize(("name", "said"), [("ward-3", "choose another"), ("Ward 3", "lower-case")])
def test_a_name_that_is_taken_or_is_none_changes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, said: str
) -> None:
    path = tmp_path / "keys.toml"
    main(["token", "ward-3", "--file", str(path)])
    before = path.read_text()
    capsys.readouterr()

    assert 78 == main(["token", name, "--file", str(path)])
    told = capsys.readouterr()
    assert said in told.err
    assert "" == told.out
    assert before == path.read_text()
