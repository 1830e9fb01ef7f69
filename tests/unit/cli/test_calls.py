"""The operator's verbs for what was kept: what they show, whom they need, what they leave."""

import base64
import json
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from voiced.audit.folder import Folder
from voiced.audit.keys import sealing_keys
from voiced.audit.reading import Reading
from voiced.cli.main import main
from voiced.config.settings import Audit
from voiced.vault.keys import SiteKey, SiteKeys
from voiced.vault.model import Opening
from voiced.vault.record import Kind, Turn, packed_sound
from voiced.vault.sound import Encoder
from voiced.vault.vault import Vault
from voiced.words import Words

pytestmark = pytest.mark.unit

OLD, NEW = SiteKey.of(b"o" * 32), SiteKey.of(b"n" * 32)
SAID = [("When can I come?", "Every day."), ("Thank you.", "")]


class Site:
    """A site with one call, kept under the old key, and an audit."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.config = folder / "voiced.toml"
        self.config.write_text(
            '[vault]\ndir = "v"\nkey_file = "key"\n[audit]\ndir = "a"\nkey_file = "seal"\n'
        )
        (folder / "seal").write_bytes(b"a" * 32)
        self.keys(OLD)
        with closing(Vault(folder / "v", lambda: 1_790_000_000)) as vault:
            vault.begin(Opening("c1", "desk", "en", True, 30), SiteKeys([OLD]))
            for number, (caller, agent) in enumerate(SAID):
                turn = Turn(number, number * 4000, Words(caller), Words(agent), cut=False)
                vault.add("c1", Kind.TURN, turn.packed())
            vault.add("c1", Kind.SOUND, sound())
            vault.end("c1", "left")

    def keys(self, *keys: SiteKey) -> None:
        lines = [base64.b64encode(key.secret).decode() for key in keys]
        (self.folder / "key").write_text("\n".join(lines))

    def run(self, *words: str) -> int:
        return main(["calls", *words, "--config", str(self.config)])

    def audited(self) -> list[tuple[str, str | None]]:
        keys = sealing_keys(Audit(dir=self.folder / "a", key_file=self.folder / "seal"))
        assert keys is not None
        records = [n.record for n in Reading(Folder(self.folder / "a", keys, 731), {})]
        return [(record.event, record.values.get("call")) for record in records]


def sound() -> bytes:
    encoder = Encoder()
    second = np.full(16_000, 3000, np.int16)
    return packed_sound([*encoder.push(second, np.zeros(24_000, np.int16)), *encoder.end()])


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def out(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


def test_a_list_shows_what_there_is_without_the_key_and_no_word_of_it(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    (site.folder / "key").unlink()
    assert 0 == site.run("list", "--json")

    text = capsys.readouterr().out
    [call] = json.loads(text)["calls"]
    assert ("c1", "desk", True, 2, "left") == tuple(
        call[key] for key in ("id", "agent", "recorded", "turn_count", "ending")
    )
    assert "come" not in text
    assert 0 == site.run("list")
    assert "c1" in capsys.readouterr().out


def test_a_call_is_shown_to_who_has_the_key(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == site.run("show", "c1", "--json")
    turns = out(capsys)["turns"]
    assert SAID == [(turn["caller"], turn["agent"]) for turn in turns]

    assert 0 == site.run("show", "c1")
    assert "When can I come?" in capsys.readouterr().out


def test_without_the_key_nothing_is_shown(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    site.keys(NEW)
    assert 69 == site.run("show", "c1")

    told = capsys.readouterr()
    assert "" == told.out
    assert OLD.name in told.err


def test_an_export_is_files_that_anybody_can_open(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    where = site.folder / "out"
    assert 0 == site.run("export", "c1", "--out", str(where), "--reason", "complaint", "--json")

    assert [str(where / "c1.json"), str(where / "c1.ogg")] == out(capsys)["files"]
    assert "Every day." == json.loads((where / "c1.json").read_text())["turns"][0]["agent"]
    heard, _rate = soundfile.read(where / "c1.ogg")
    assert np.max(np.abs(heard[:, 0])) > 0.05 > np.max(np.abs(heard[:, 1]))
    assert {0o600} == {path.stat().st_mode & 0o777 for path in where.iterdir()}


def test_a_reason_is_a_word_and_no_story(site: Site) -> None:
    with pytest.raises(SystemExit) as refused:
        site.run("export", "c1", "--reason", "Mr Kim asked for it")
    assert 64 == refused.value.code


@pytest.mark.parametrize("call", ["../seal", "..", "probe", "/etc/passwd"])
def test_what_is_no_call_is_never_opened(site: Site, call: str) -> None:
    for action in ("show", "export", "erase"):
        assert 69 == site.run(action, call)
    assert [] == site.audited()


def test_an_erased_call_is_gone_and_only_its_name_is_left(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    (site.folder / "key").unlink()  # erasing must be possible for who may not read
    assert 0 == site.run("erase", "c1", "--json")
    assert ["c1"] == out(capsys)["erased"]

    site.keys(OLD)
    assert 69 == site.run("show", "c1")
    assert 69 == site.run("erase", "c1")
    assert 0 == site.run("list")
    assert "erased" in capsys.readouterr().out


def test_an_unknown_call_is_said_to_be_none(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    assert 69 == site.run("show", "c9")
    assert "no call c9" in capsys.readouterr().err


def test_a_damaged_call_is_shown_as_far_as_it_can_be_and_exits_with_1(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    path = site.folder / "v/calls/c1"
    path.write_bytes(path.read_bytes()[:200])

    assert 1 == site.run("show", "c1")
    told = capsys.readouterr()
    assert "When can I come?" in told.out
    assert "part 2 of 4" in told.err


def test_a_new_site_key_takes_the_place_of_the_old_one(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    site.keys(NEW, OLD)
    assert 0 == site.run("rekey", "--json")
    assert {"rewrapped": 1, "site_key": NEW.name} == out(capsys)

    site.keys(NEW)
    assert 0 == site.run("show", "c1")
    site.keys(OLD)
    assert 69 == site.run("show", "c1")


def test_every_look_copy_and_erasure_is_audited(site: Site) -> None:
    site.run("list")
    site.run("show", "c1")
    site.run("export", "c1", "--out", str(site.folder / "out"))
    site.run("rekey")
    site.run("erase", "c1")

    assert [
        ("vault.read", None),
        ("vault.read", "c1"),
        ("vault.exported", "c1"),
        ("admin.acted", None),
        ("vault.erased", "c1"),
    ] == site.audited()


def test_what_cannot_be_audited_is_not_done(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    (site.folder / "a").write_text("a file where the folder should be")

    assert 69 == site.run("show", "c1")
    assert "" == capsys.readouterr().out
    assert 69 == site.run("erase", "c1")
    (site.folder / "a").unlink()
    assert 0 == site.run("show", "c1")


def test_where_nothing_was_ever_kept_it_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "voiced.toml"
    config.write_text('[vault]\ndir = "v"\n')

    assert 69 == main(["calls", "list", "--config", str(config)])
    assert "there is no vault" in capsys.readouterr().err
