"""Backup and restore: to an empty machine, with the key out of escrow, or not at all."""

import base64
import json
import shutil
import tarfile
from io import BytesIO
from pathlib import Path

import pytest

from tests.unit.cli.test_calls import NEW, OLD, SAID, Site, out
from voiced.cli.main import main
from voiced.vault.keys import SiteKeys
from voiced.vault.vault import opened

pytestmark = pytest.mark.unit

AGENT = 'name = "desk"\n'


@pytest.fixture
def box(tmp_path: Path) -> Site:
    """A machine with a call, an audit and an agent."""
    (tmp_path / "box/agents.d").mkdir(parents=True)
    site = Site(tmp_path / "box")
    site.config.write_text(site.config.read_text() + '[calls]\nagents_dir = "agents.d"\n')
    (site.folder / "agents.d/desk.toml").write_text(AGENT)
    with opened(site.folder / "v", lambda: 0) as vault:
        vault.prepare(SiteKeys([OLD]))
    return site


@pytest.fixture
def archive(box: Site, tmp_path: Path) -> Path:
    path = tmp_path / "backup.tar"
    assert 0 == main(["backup", str(path), "--config", str(box.config)])
    return path


@pytest.fixture
def escrow(tmp_path: Path) -> Path:
    path = tmp_path / "escrow"
    path.write_text(base64.b64encode(OLD.secret).decode())
    return path


def restore(archive: Path, key: Path, *more: str) -> int:
    return main(["restore", str(archive), "--key", str(key), *more])


def test_an_empty_box_has_all_of_it_again(
    archive: Path, escrow: Path, box: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first machine is gone; there is the archive, and the key out of escrow."""
    shutil.rmtree(box.folder)
    config = tmp_path / "other/voiced.toml"
    assert 78 == restore(archive, escrow, "--config", str(config))
    assert "seal" in capsys.readouterr().err, "the audit's key is missed before anything is done"
    (tmp_path / "other/seal").write_bytes(b"a" * 32)
    assert 0 == restore(archive, escrow, "--config", str(config))
    shutil.copy(escrow, tmp_path / "other/key")

    assert AGENT == (tmp_path / "other/agents.d/desk.toml").read_text()
    capsys.readouterr()
    assert 0 == main(["calls", "show", "c1", "--json", "--config", str(config)])
    assert SAID == [(turn["caller"], turn["agent"]) for turn in out(capsys)["turns"]]
    assert 0 == main(["audit", "verify", "--json", "--config", str(config)])
    assert out(capsys)["ok"]


def test_the_key_in_escrow_is_proven_and_nothing_is_put_anywhere(
    archive: Path, escrow: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(tmp_path.rglob("*"))
    capsys.readouterr()
    assert 0 == restore(archive, escrow, "--prove", "--json")

    proof = out(capsys)
    assert (1, [], OLD.name) == (
        proof["calls_readable"],
        proof["calls_damaged"],
        proof["site_key"],
    )
    assert before == sorted(tmp_path.rglob("*"))


def test_with_another_key_nothing_is_proven_and_nothing_restored(
    archive: Path, escrow: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    escrow.write_text(base64.b64encode(NEW.secret).decode())
    config = tmp_path / "other/voiced.toml"

    assert 69 == restore(archive, escrow, "--prove")
    assert 69 == restore(archive, escrow, "--config", str(config))
    assert OLD.name in capsys.readouterr().err
    assert not config.parent.exists()


def test_a_backup_of_no_calls_proves_the_key_all_the_same(
    box: Site, escrow: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    box.run("erase", "c1")
    archive = tmp_path / "backup.tar"
    main(["backup", str(archive), "--config", str(box.config)])
    capsys.readouterr()

    assert 0 == restore(archive, escrow, "--prove", "--json")
    assert 0 == out(capsys)["calls_readable"]
    escrow.write_text(base64.b64encode(NEW.secret).decode())
    assert 69 == restore(archive, escrow, "--prove")


def test_neither_the_key_nor_a_word_is_in_the_archive(archive: Path) -> None:
    content = archive.read_bytes()

    assert OLD.secret not in content
    assert base64.b64encode(OLD.secret) not in content
    assert b"Every day" not in content
    assert 0o600 == archive.stat().st_mode & 0o777


def test_a_machine_that_has_calls_is_not_overwritten(
    archive: Path, escrow: Path, box: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 69 == restore(archive, escrow, "--config", str(box.config))
    assert "an empty machine only" in capsys.readouterr().err
    assert 0 == box.run("show", "c1")


def rewritten(archive: Path, name: str, content: bytes | None, as_: str = "") -> None:
    """The archive with one file changed, renamed, or left out."""
    with tarfile.open(archive) as tar:
        held = [(m.name, tar.extractfile(m).read()) for m in tar]  # type: ignore[union-attr]
    with tarfile.open(archive, "w") as tar:
        for given, whole in held:
            if given == name and content is None:
                continue
            entry = tarfile.TarInfo(as_ if given == name and as_ else given)
            body = content if given == name and content is not None else whole
            entry.size = len(body)
            tar.addfile(entry, BytesIO(body))


@pytest.mark.parametrize(
    ("name", "content", "as_"),
    [
        ("vault/calls/c1", b"other", ""),
        ("vault/keys/c1", None, ""),
        ("manifest.json", None, ""),
        ("vault/calls/c1", b"other", "vault/calls/../../../outside"),
        ("vault/calls/c1", b"other", "/tmp/outside"),
    ],
    ids=["edited", "omitted", "cut off", "climbing", "absolute"],
)
def test_an_archive_that_was_changed_is_refused(
    archive: Path, escrow: Path, tmp_path: Path, name: str, content: bytes | None, as_: str
) -> None:
    rewritten(archive, name, content, as_)
    config = tmp_path / "other/voiced.toml"

    assert 1 == restore(archive, escrow, "--config", str(config))
    assert not config.parent.exists()
    assert not (tmp_path / "outside").exists()


def test_a_call_that_was_damaged_before_the_backup_is_named(
    box: Site, escrow: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = box.folder / "v/calls/c1"
    path.write_bytes(path.read_bytes()[:-9])
    archive = tmp_path / "backup.tar"
    main(["backup", str(archive), "--config", str(box.config)])
    capsys.readouterr()

    assert 1 == restore(archive, escrow, "--prove", "--json")
    assert json.dumps(["c1"]) in capsys.readouterr().out


def test_backup_and_restore_are_audited(archive: Path, box: Site) -> None:
    assert [("admin.acted", None)] == box.audited()


def test_what_is_no_archive_is_said_to_be_none(escrow: Path, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"no tar" * 1000)

    assert 1 == restore(tmp_path / "x", escrow, "--prove")
    assert 69 == restore(tmp_path / "y", escrow, "--prove")
