"""The audit from the command line: what an auditor types, and what it answers."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from voiced.audit.chain import Key
from voiced.audit.entries import (
    CallEnded,
    CallOpened,
    Entry,
    FileInForce,
    HandedOff,
    ModelInForce,
    VaultExported,
)
from voiced.audit.folder import Folder
from voiced.audit.keys import Keys
from voiced.cli.main import main

pytestmark = pytest.mark.unit

KEY = b"0123456789abcdef0123456789abcdef"
MARCH, APRIL = "2026-03-14T09:30:00.000+00:00", "2026-04-02T09:30:00.000+00:00"
SHA = "0" * 64


class Site:
    """A site's settings, its key, and what its audit has recorded."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.directory = place / "audit"
        (place / "key").write_bytes(KEY)
        self.config = place / "voiced.toml"
        self.config.write_text(f'[audit]\ndir = "{self.directory}"\nkey_file = "key"\n')
        self.folder = Folder(self.directory, Keys(Key(KEY)), 731)
        self.folder.open()

    def record(self, at: str, *entries: Entry) -> None:
        self.folder.append([(at, entry) for entry in entries])

    def ask(self, *words: str) -> int:
        return main(["audit", words[0], "--config", str(self.config), *words[1:]])


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    return Site(tmp_path)


def spoil(site: Site, old: bytes, new: bytes) -> None:
    path = site.folder.segments()[0].path
    path.write_bytes(path.read_bytes().replace(old, new))


def opened(call: str, key: str = "key:ward") -> CallOpened:
    return CallOpened(call, "reception", "10.0.0.9", key)


def test_a_whole_audit_is_said_to_be_whole(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    site.record(MARCH, opened("c1"), CallEnded("c1", "hangup", 12.0))

    assert 0 == site.ask("verify")
    assert "whole: records 1 to 2" in capsys.readouterr().out


def test_the_first_record_that_is_wrong_is_named(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    site.record(MARCH, opened("c1"), opened("c2"), opened("c3"))
    spoil(site, b'"c2"', b'"c9"')

    assert 1 == site.ask("verify")
    assert capsys.readouterr().out.startswith("record 2: edited")
    assert 1 == site.ask("verify", "--json")
    shown = json.loads(capsys.readouterr().out)
    assert (False, 2) == (shown["ok"], shown["fault"]["record"])


def test_the_journals_heads_are_a_second_witness(
    site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Lines as `journalctl -o cat` shows them, or with whatever a log server puts before them."""
    site.record(MARCH, opened("c1"), opened("c2"))
    line = json.dumps({"event": "audit.head", "number": 2, "mac": site.folder.open().mac})
    seen = tmp_path / "seen"
    seen.write_text(f'{{"event":"call.opened"}}\nMar 14 box voiced[7]: {line}\n')
    assert 0 == site.ask("verify", "--witness", str(seen))
    assert "and the 1 heads that were witnessed" in capsys.readouterr().out

    seen.write_text(line.replace('"number": 2', '"number": 7'))
    assert 1 == site.ask("verify", "--witness", str(seen))
    assert "missing, up to 7, which the journal has seen" in capsys.readouterr().out


def test_a_witness_that_saw_nothing_is_none(site: Site, tmp_path: Path) -> None:
    """An empty file would else be taken for a proof."""
    seen = tmp_path / "seen"
    seen.write_text("nothing\n")

    assert 69 == site.ask("verify", "--witness", str(seen))


def test_an_export_can_be_checked_elsewhere_and_is_recorded(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    site.record(MARCH, opened("c1"))
    site.record(APRIL, opened("c2"))
    assert 0 == site.ask("export", "--since", "2026-04-01", "--until", "2026-04-30")

    [line] = capsys.readouterr().out.splitlines()
    record = Key(KEY).read(line.encode())
    assert record is not None
    assert "c2" == record.values["call"]
    assert 0 == site.ask("export")
    records = [json.loads(one) for one in capsys.readouterr().out.splitlines()]
    assert ("audit.exported", 2, 2) == tuple(records[2][key] for key in ("event", "first", "last"))
    assert str(records[2]["actor"]).startswith("uid:")


def test_an_export_of_a_broken_audit_says_so(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    site.record(MARCH, opened("c1"), opened("c2"))
    spoil(site, b'"c1"', b'"c9"')

    assert 1 == site.ask("export")
    assert "record 1: edited" in capsys.readouterr().err


def test_the_report_has_a_months_calls_and_changes(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was in force before is no change; what is other than before is one."""
    site.record(MARCH, opened("c0"), FileInForce("voiced", "agents/ward", SHA))
    site.record(MARCH, ModelInForce("tiny", "1", SHA))
    site.record(
        APRIL,
        FileInForce("voiced", "agents/ward", SHA),
        ModelInForce("tiny", "2", "1" * 64),
        opened("c1"),
        opened("c2", "none"),
        HandedOff("c2", "reception", "red_flag"),
        CallEnded("c1", "hangup", 3.0),
        VaultExported("uid:0/login:1000", "c1", "transcript"),
    )

    assert 0 == site.ask("report", "--month", "2026-04", "--json")
    shown = json.loads(capsys.readouterr().out)
    assert {"key:ward": 1, "none": 1} == shown["counts"]["calls by key"]
    assert {"red_flag": 1} == shown["counts"]["hand-offs by reason"]
    events = [one["event"] for one in shown["findings"]]
    assert ["model.in_force", "vault.exported"] == events
    assert 7 == shown["records"]


def test_the_report_reads_well(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    site.record(APRIL, opened("c1"), VaultExported("uid:0", "c1", "transcript"))

    assert 0 == site.ask("report", "--month", "2026-04")
    shown = capsys.readouterr().out
    assert "2026-04: 2 records; the audit is whole" in shown
    assert "vault.exported actor=uid:0 call=c1" in shown


def test_a_report_on_a_broken_audit_says_so(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    site.record(APRIL, opened("c1"))
    spoil(site, b'"c1"', b'"c9"')

    assert 1 == site.ask("report", "--month", "2026-04")
    assert "NOT WHOLE: record 1" in capsys.readouterr().out


def test_without_a_key_nothing_is_said_to_be_whole(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    (site.place / "key").unlink()

    assert 78 == site.ask("verify")
    assert "audit.key_file" in capsys.readouterr().err


def test_without_an_audit_there_is_nothing_to_check(tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(KEY)
    config = tmp_path / "voiced.toml"
    config.write_text('[audit]\ndir = "nowhere"\nkey_file = "key"\n')

    assert 69 == main(["audit", "verify", "--config", str(config)])
