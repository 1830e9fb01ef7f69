"""The roles and playbooks as text; test_fleet runs them."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.process.conftest import ROOT

pytestmark = [pytest.mark.process, pytest.mark.timeout(180)]

needs_ansible = pytest.mark.skipif(
    not (ROOT / ".fleet/bin/ansible-lint").exists(), reason="needs .fleet/: scripts/fleet --setup"
)


@needs_ansible
def test_the_playbooks_are_as_the_linter_wants_them(tmp_path: Path) -> None:
    path = f"{ROOT}/.fleet/bin:{os.environ['PATH']}"
    environment = {**os.environ, "ANSIBLE_HOME": str(tmp_path), "PATH": path, "NO_COLOR": "1"}
    command = ["ansible-lint", "--offline", "--profile", "production"]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=ROOT / "ansible", env=environment, check=False
    )

    assert 0 == done.returncode, done.stdout + done.stderr
