"""What the program is made of is written down, and is looked at by somebody else's tools."""

import json
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests.process.conftest import ROOT

pytestmark = [pytest.mark.process, pytest.mark.timeout(300)]


def supply(*words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [ROOT / "scripts/supply", *words], capture_output=True, text=True, timeout=280, check=False
    )


def test_the_bill_of_materials_has_every_package_and_every_model_file(tmp_path: Path) -> None:
    place = tmp_path / "voiced.cdx.json"
    done = supply("sbom", str(place))
    assert 0 == done.returncode, done.stderr

    bill = json.loads(place.read_text())
    assert "CycloneDX" == bill["bomFormat"]
    found = {(one["name"], one["version"]) for one in bill["components"]}
    lock = (ROOT / "requirements/cpu.txt").read_text()
    assert set(re.findall(r"^([a-z0-9._-]+)==([^\s;\\]+)", lock, re.M)) <= found
    models = tomllib.loads((ROOT / "models/catalog.toml").read_text())["models"]
    files = [file for model in models for file in model["files"]]
    hashes = {file["sha256"] for file in files if "sha256" in file}  # a site pins the others
    parts = [one for part in bill["components"] for one in part.get("components", ())]
    assert len(files) == len(parts)
    assert hashes == {made["content"] for one in parts for made in one.get("hashes", ())}


def test_bandit_finds_nothing_that_has_no_reason() -> None:
    done = supply("code")

    assert (0, "") == (done.returncode, done.stdout)
