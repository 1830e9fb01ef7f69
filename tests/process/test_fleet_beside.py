"""What stands beside the daemon: the card's checks, and Sonic's services with stand-ins."""

import json
import re
import time
from collections.abc import Iterator

import pytest

from tests.process.container import ROOT, Machine
from tests.process.hosts import Site, no_hosts, site

pytestmark = [
    pytest.mark.process,
    pytest.mark.fleet,
    pytest.mark.timeout(600),
    pytest.mark.skipif(no_hosts() is not None, reason=str(no_hosts())),
]

DEVICE = "MIG-c6d4f1ef-42e4-5de3-91c7-45d71c87eb3f"
WORKER = "worker"


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, Machine]]:
    """A host with a card and Docker that are programs of ours."""
    folder = tmp_path_factory.mktemp("beside")
    vendor = folder / "vendor"
    vendor.mkdir()
    (vendor / "compose.yaml").write_text("services: {}\n")
    with site(folder) as made:
        made.groups = {"nvidia": ["beside"], "sonic": ["beside"], "voiced": []}
        made.variables = {
            "sonic_compose": str(vendor),
            "sonic_units": str(ROOT / "systemd"),
            "sonic_worker_service": WORKER,
            "sonic_device": DEVICE,
            "sonic_licence": json.dumps({"issued_at": 1}),
        }
        machine = made.up("beside")
        program = (ROOT / "tests/process/beside_stand_in.py").read_text()
        for place in ("usr/bin/docker", "usr/local/bin/docker", "usr/bin/nvidia-smi"):
            (machine.root / place).unlink(missing_ok=True)
            machine.write(place, f"#!/usr/bin/python3\n{program}", 0o755)
        yield made, machine


def licences(machine: Machine, seconds: float = 60.0, *, count: int) -> list[int]:
    """When each licence that the proxy got was issued; waits for so many."""
    deadline = time.monotonic() + seconds
    found: list[str] = []
    while time.monotonic() < deadline and len(found) < count:
        said = machine.run("journalctl", "-u", "voiced-sonic", "-o", "cat", "--no-pager")
        found = re.findall(r"(?m)^licence (.*)$", said)
        time.sleep(0.2)
    return [int(json.loads(line)["issued_at"]) for line in found]


def test_sonic_runs_under_a_unit_of_ours_on_a_device_of_its_own(host: tuple[Site, Machine]) -> None:
    """The play ends when a worker has loaded its model; a new licence needs no restart."""
    made, machine = host
    played = made.play("site")
    assert 0 == played.code, played.said[-3000:]
    main = machine.property("MainPID", "voiced-sonic")
    assert "active" == machine.property("ActiveState", "voiced-sonic")
    device = machine.run("cat", "/etc/voiced/sonic/device.yaml")
    assert (True, True) == (DEVICE in device, f"  {WORKER}:" in device)
    assert [1] == licences(machine, count=1)

    machine.write("/etc/voiced/sonic/license.json", json.dumps({"issued_at": 2}), 0o600)
    assert [1, 2] == licences(machine, count=2)
    assert main == machine.property("MainPID", "voiced-sonic")


def test_a_device_that_is_named_by_number_is_refused(host: tuple[Site, Machine]) -> None:
    """Numbers change with a boot, and then Sonic would take the daemon's card."""
    made, _ = host
    played = made.play("site", "-e", '{"sonic_device": "0"}')

    assert (2, []) == (played.code, played.changes)
    assert "write a UUID" in played.said


def test_a_card_whose_driver_is_too_old_is_refused(host: tuple[Site, Machine]) -> None:
    made, _ = host
    played = made.play("site", "-e", "nvidia_host_driver=999.0")

    assert (2, []) == (played.code, played.changes)
    assert "Driver 580.65.06 is older than 999.0" in played.said
