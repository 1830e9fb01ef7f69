"""The preflight where no model is loaded: each failure is a check's, and says what to do."""

import base64
from contextlib import closing
from pathlib import Path

import pytest

from voiced.daemon.preflight import Check, Report, preflight
from voiced.testing.nvml import FakeNvml
from voiced.vault.keys import SiteKey, SiteKeys
from voiced.vault.vault import Vault

pytestmark = pytest.mark.unit

AGENT = """
name = "desk"
languages = ["en"]
prompt = "-"
[voices]
en = "piper-en-us-joe"
[lines.en]
greeting = "Hello."
fallback = "Sorry."
goodbye = "Goodbye."
"""


def site(folder: Path, more: str = "") -> Path:
    """Settings with one agent and no weights."""
    (folder / "agents.d").mkdir()
    (folder / "agents.d/desk.toml").write_text(AGENT)
    config = folder / "voiced.toml"
    config.write_text(
        "[http]\nport = 0\n[rtc]\nport = 0\n"
        '[models]\ndir = "models"\nproduction = false\n[calls]\nagents_dir = "agents.d"\n' + more
    )
    return config


def named(report: Report, name: str) -> Check:
    return next(check for check in report.checks if check.name == name)


def test_a_wrong_key_is_the_first_and_only_check(tmp_path: Path) -> None:
    config = tmp_path / "voiced.toml"
    config.write_text("[http]\nprot = 1\n")
    report = preflight(config)

    assert ["config"] == [check.name for check in report.checks]
    assert not report.ok
    assert "http.prot" in named(report, "config").detail


def test_weights_that_are_missing_are_told_with_the_command_that_fetches_them(
    tmp_path: Path,
) -> None:
    report = preflight(site(tmp_path))
    weights = named(report, "weights")

    assert not weights.ok
    assert weights.detail.endswith("is missing")
    assert weights.fix.startswith("run `voiced models pull")
    assert named(report, "port http").ok
    assert named(report, "agents").ok


def test_an_agent_without_a_voice_for_its_language_is_refused(tmp_path: Path) -> None:
    config = site(tmp_path)
    agent = tmp_path / "agents.d/desk.toml"
    agent.write_text(agent.read_text().replace('languages = ["en"]', 'languages = ["en", "ko"]'))
    report = preflight(config)

    assert not named(report, "agents").ok
    assert "[voices]" in named(report, "agents").detail


def test_whom_the_configuration_names_is_told(tmp_path: Path) -> None:
    tool = (
        '[[tools]]\nname = "book"\ndescription = "-"\nkind = "http"\nurl = "https://emr.local/"\n'
    )
    config = site(tmp_path)
    agent = tmp_path / "agents.d/desk.toml"
    agent.write_text(agent.read_text().replace("[voices]", tool + "[voices]", 1))
    report = preflight(config)

    assert [("emr.local", 443)] == [(one.host, one.port) for one in report.egress]


@pytest.mark.parametrize(
    ("device", "ok", "told"),
    [
        ("GPU-0", True, "24000 of 80000 MB of Fake L4 are its worker's"),
        ("GPU-1", False, "sonic.device = GPU-1: there is no such card or slice"),
    ],
)
def test_the_device_of_sonic_beside_is_in_the_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, device: str, ok: bool, told: str
) -> None:
    monkeypatch.setattr("voiced.daemon.preflight.library", lambda: FakeNvml(total_gb=80))
    sonic = f'[sonic]\nurl = "http://127.0.0.1:5000"\ndevice = "{device}"\n'
    found = named(preflight(site(tmp_path, sonic)), "sonic's device")

    assert (ok, told) == (found.ok, found.detail)


def test_a_site_that_keeps_no_calls_needs_no_key(tmp_path: Path) -> None:
    vault = named(preflight(site(tmp_path)), "vault")

    assert (True, "no call is kept: there is no site key") == (vault.ok, vault.detail)


def test_a_site_key_under_which_nothing_was_kept_is_told(tmp_path: Path) -> None:
    config = site(tmp_path, '[vault]\ndir = "v"\nkey_file = "key"\n')
    key = tmp_path / "key"
    key.write_text(base64.b64encode(b"s" * 32).decode())
    assert named(preflight(config), "vault").ok
    with closing(Vault(tmp_path / "v", lambda: 0)) as vault:
        vault.prepare(SiteKeys([SiteKey.of(b"s" * 32)]))
    assert named(preflight(config), "vault").ok

    key.write_text(base64.b64encode(b"t" * 32).decode())
    wrong = named(preflight(config), "vault")
    assert not wrong.ok
    assert SiteKey.of(b"s" * 32).name in wrong.detail


def test_a_disk_without_the_room_that_must_stay_free_is_told(tmp_path: Path) -> None:
    (tmp_path / "key").write_text(base64.b64encode(b"s" * 32).decode())
    table = '[vault]\ndir = "v"\nkey_file = "key"\nspare_mb = 1_000_000_000\n'
    full = named(preflight(site(tmp_path, table)), "vault")

    assert not full.ok
    assert "vault.spare_mb" in full.fix


def test_what_is_written_is_tried_without_what_the_machine_has_free(tmp_path: Path) -> None:
    """Beside a daemon that runs, whose ports and memory are taken."""
    report = preflight(site(tmp_path), engines=False)

    assert ["config", "agents", "access", "weights"] == [check.name for check in report.checks]
