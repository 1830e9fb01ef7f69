"""A fleet: hosts reached over ssh, without network beyond the bundle, and the real playbooks.

The first host is made from nothing and then given as a layer to the others, so that packages and
models are brought once.
"""

import json
import re
import subprocess
import sys
import tarfile
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path

import pytest

from tests.process.container import ROOT, Machine
from tests.process.hosts import Played, Site, no_hosts, site
from tests.process.wheels import locked, repack
from voiced.clock import wall
from voiced.web import issuing

pytestmark = [
    pytest.mark.process,
    pytest.mark.fleet,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(no_hosts() is not None, reason=str(no_hosts())),
]

TOKEN = "a-token-of-sixteen-characters"
QUESTION = ROOT / "tests/data/question_visiting_hours.wav"
OLD, NEW, BAD = "0.1.0", "0.1.1", "0.1.2"
DEAF = """

def judge(*_given: object, **_named: object) -> Rejection:
    return Rejection(Reason.EMPTY)
"""
"""Ready, in good health, and answers nobody."""


@dataclass(frozen=True, slots=True)
class Bundles:
    """By version; and who signed them."""

    folder: Path
    signers: Path

    def of(self, version: str) -> str:
        return str(self.folder / version)


@pytest.fixture(scope="module")
def bundles(tmp_path_factory: pytest.TempPathFactory, models_dir: Path) -> Bundles:
    """Three releases that need the same packages and models. The third never finds its words."""
    folder = tmp_path_factory.mktemp("bundles")
    wheels = folder / "wheels"
    wheels.mkdir()
    for package in [*installed(), "pip"]:
        repack(package, wheels)
    own = wheel(folder)
    key = folder / "key"
    run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key))
    (folder / "signers").write_text(f"voiced {key.with_suffix('.pub').read_text()}")
    config = folder / "voiced.toml"
    config.write_text(f'[models]\ndir = "{models_dir}"\nproduction = false\n')
    named = {"bundle_key": str(key), "bundle_config": str(config), "bundle_wheels": str(wheels)}
    for version in (OLD, NEW, BAD):
        release(own, wheels, version)
        told = json.dumps({**named, "bundle_folder": str(folder / version)})
        run(str(ROOT / "scripts/fleet"), "playbooks/bundle.yml", "-e", told)
    return Bundles(folder, folder / "signers")


def installed() -> list[str]:
    """The lock's packages for this machine; its others are for other systems."""
    have = {re.sub(r"[-_.]+", "-", one.metadata["Name"]).lower() for one in distributions()}
    return [name for name in locked(ROOT / "requirements/cpu.txt") if name in have]


def wheel(folder: Path) -> Path:
    """This checkout's own."""
    pip = (sys.executable, "-m", "pip", "-q", "--disable-pip-version-check", "wheel")
    run(*pip, "--no-deps", "--no-build-isolation", "--no-index", "-w", str(folder), str(ROOT))
    (found,) = folder.glob("voiced-*.whl")
    return found


def release(own: Path, wheels: Path, version: str) -> None:
    """The same program under another version; the bad one loads, and fails in each turn."""
    for before in wheels.glob("voiced-*.whl"):
        before.unlink()
    made = re.search(r"voiced-([^-]+)-", own.name)
    assert made is not None
    with (
        zipfile.ZipFile(own) as good,
        zipfile.ZipFile(wheels / own.name.replace(made[1], version), "w") as changed,
    ):
        for entry in good.infolist():
            data = good.read(entry)
            name = entry.filename.replace(f"voiced-{made[1]}.dist", f"voiced-{version}.dist")
            if name.endswith(".dist-info/METADATA"):
                data = data.replace(f"Version: {made[1]}".encode(), f"Version: {version}".encode())
            if name.endswith(".dist-info/RECORD"):
                data = data.replace(f"voiced-{made[1]}.".encode(), f"voiced-{version}.".encode())
            if version == BAD and name == "voiced/stt/gate.py":
                data += DEAF.encode()
            changed.writestr(zipfile.ZipInfo(name), data)


def run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"


@pytest.fixture(scope="module")
def hospital(tmp_path_factory: pytest.TempPathFactory, bundles: Bundles) -> Iterator[Site]:
    with site(tmp_path_factory.mktemp("hospital")) as made:
        made.variables = {
            "voiced_bundle": bundles.of(OLD),
            "voiced_bundle_signers": str(bundles.signers),
            "voiced_agents": str(ROOT / "docs/examples/agents"),
            "voiced_production": False,
            "voiced_secrets": {"token": TOKEN},
            "voiced_clients": ["10.88.0.0/24"],
            "voiced_free_mb": 1000,
            # how fast two cores are, on which others work too, is not what is proved here
            "voiced_gate_ms": 60_000,
            "voiced_gate_tries": 4,
        }
        yield made


def test_a_bundle_names_all_that_it_holds(bundles: Bundles) -> None:
    """Every package of the lock and every model file, each with its hash."""
    with tarfile.open(Path(bundles.of(OLD)) / "voiced.tar") as program:
        (member,) = (one for one in program.getnames() if one.endswith("sbom.json"))
        told = program.extractfile(member)
        assert told is not None
        bill = json.load(told)
    names = {part["name"].lower() for part in bill["components"]}
    models = [part for part in bill["components"] if part["type"] == "machine-learning-model"]

    assert {"voiced", "aiortc", "ctranslate2", "gemma-3-270m", "whisper-base"} <= names
    assert all(file["hashes"] for model in models for file in model["components"])


@dataclass(frozen=True, slots=True)
class First:
    """What became of a bare host, play by play."""

    would: Played
    left: str
    """What lay there of ours after the play that only looked."""
    did: Played
    again: Played
    strange: Played
    """With a bundle that somebody else has signed."""
    untyped: Played
    """With a port that is no number."""
    layer: Path


@pytest.fixture(scope="module")
def first(hospital: Site) -> First:
    host = hospital.up("first")
    would = hospital.play("site", "--check")
    left = host.run(
        "find", "/opt/voiced", "/etc/voiced", "/etc/systemd/system/voiced.service", check=False
    )
    did = hospital.play("site")
    assert 0 == did.code, did.said[-3000:]
    again = hospital.play("site")
    strange = hospital.play("site", "-e", "voiced_bundle_signer=somebody-else")
    untyped = hospital.play("site", "-e", "voiced_http_port=eighty")
    return First(would, left, did, again, strange, untyped, hospital.down("first"))


def test_a_bare_host_is_told_what_would_be_done_and_left_as_it_is(first: First) -> None:
    assert (0, {"first": 0}, "") == (first.would.code, first.would.failed, first.left)
    assert {"voiced : Copy the archive", "voiced : Write the secrets"} <= {*first.would.changes}
    assert {*first.would.changes} <= {*first.did.changes}


def test_a_bare_host_becomes_one_that_answers(first: First) -> None:
    """From a signed bundle and nothing else; the play ends with a real call to it."""
    assert (0, {"first": 0}) == (first.did.code, first.did.failed)
    assert "voiced : Judge it" in first.did.said


def test_a_second_run_changes_nothing(first: First) -> None:
    assert (0, {"first": 0}, []) == (first.again.code, first.again.changed, first.again.changes)


def test_a_bundle_that_nobody_known_has_signed_is_refused(first: First) -> None:
    assert (2, []) == (first.strange.code, first.strange.changes)
    assert '"Check who signed the bundle" failed' in first.strange.said


def test_a_variable_of_another_type_is_refused_before_anything_is_done(first: First) -> None:
    assert (2, []) == (first.untyped.code, first.untyped.changes)
    assert "voiced_http_port" in first.untyped.said


@pytest.fixture(scope="module")
def fleet(hospital: Site, first: First) -> dict[str, Machine]:
    """Two hosts that answer, of the old release; the second by HTTPS."""
    hosts = {name: hospital.up(name, (first.layer,)) for name in ("north", "south")}
    hospital.own["south"] = {"voiced_secrets": {"token": TOKEN, **https(hospital.address("south"))}}
    for host in hosts.values():  # what a release of long ago has left, and what is somebody's own
        for folder in (*LEFT, OWN):
            host.run("mkdir", "-p", folder)
    made = hospital.play("site", "-e", '{"voiced_batches": ["100%"]}')
    assert 0 == made.code, made.said[-3000:]
    return hosts


LEFT = ("/opt/voiced/packages/0123456789abcdef", "/var/lib/voiced/models/0123456789abcdef")
OWN = "/var/lib/voiced/models/by-hand"


def https(address: str) -> dict[str, str]:
    """A key, and a certificate that has signed itself."""
    key = issuing.new_key()
    certificate = issuing.self_signed(key, [address], 90, wall())
    own = {"certificate": issuing.pem(certificate), "private_key": issuing.key_pem(key)}
    return {name: pem.decode().rstrip() for name, pem in own.items()}


def status(host: Machine) -> dict[str, object]:
    """What the daemon there says of itself; empty where none answers."""
    said = host.run("/opt/voiced/current/bin/voiced", "status", "--json", check=False)
    found: dict[str, object] = json.loads(said) if said else {}
    return found


def until(host: Machine, seconds: float = 600.0, **wanted: object) -> None:
    deadline = time.monotonic() + seconds
    found: dict[str, object] = {}
    while time.monotonic() < deadline:
        found = status(host)
        if wanted.items() <= found.items():
            return
        time.sleep(0.5)
    raise AssertionError(f"{found}, not {wanted}")


class Live:
    """A caller on a host, who asks until told to hang up."""

    def __init__(self, hospital: Site, name: str, ca: Path) -> None:
        """`ca`: the host's own certificate, where it has one."""
        scheme, more = ("https", [str(ca)]) if ca.is_file() else ("http", [])
        url = f"{scheme}://{hospital.address(name)}:8080/v1/realtime/calls"
        program = str(ROOT / "tests/process/live_call.py")
        self._process = subprocess.Popen(
            hospital.within(sys.executable, "-P", program, url, TOKEN, str(QUESTION), *more),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        self.until("connected")

    def until(self, line: str) -> None:
        assert self._process.stdout is not None
        assert line == self._process.stdout.readline().strip()

    def hang_up(self) -> dict[str, object]:
        """How the call was."""
        said, _ = self._process.communicate("end\n", timeout=120)
        report: dict[str, object] = json.loads(said.splitlines()[-1])
        return report

    def end(self) -> None:
        self._process.kill()
        self._process.communicate()


def test_a_roll_out_cuts_no_call(
    hospital: Site, fleet: dict[str, Machine], bundles: Bundles
) -> None:
    """Each host waits for its caller, takes no other meanwhile, and comes back as the new one."""
    calls = {
        name: Live(hospital, name, host.root / "etc/voiced/secrets/certificate")
        for name, host in fleet.items()
    }
    hospital.variables["voiced_bundle"] = bundles.of(NEW)
    rolling = hospital.began("rollout")
    try:
        for name, host in fleet.items():
            until(host, why_not="draining", calls=1)
            assert OLD == status(host)["version"]
            calls[name].until("answered")
            report = calls[name].hang_up()
            assert (report["asked"], False) == (report["answered"], report["cut"])
            until(host, ready=True, version=NEW)
        rolled = rolling.end(600.0)
        assert (0, dict.fromkeys(fleet, 0)) == (rolled.code, rolled.failed), rolled.said[-3000:]
    finally:
        rolling.stop()
        for call in calls.values():
            call.end()
    verified = hospital.play("verify")
    assert (0, dict.fromkeys(fleet, 0)) == (verified.code, verified.changed)
    for host in fleet.values():
        left = host.run("find", *LEFT, OWN, "-maxdepth", "0", check=False).split()
        assert [OWN] == left, "what no release needs is gone, and nothing else"


def test_one_host_goes_back_by_hand_and_forth_again(
    hospital: Site, fleet: dict[str, Machine]
) -> None:
    """Each way the play ends with a real call; the other host is left alone."""
    main = fleet["north"].property("MainPID")
    for version in (OLD, NEW):
        back = hospital.play("rollback", "--limit", "south")
        assert (0, {"south": 0}) == (back.code, back.failed), back.said[-3000:]
        found = status(fleet["south"])
        assert (version, True) == (found["version"], found["ready"])
    assert main == fleet["north"].property("MainPID")


def test_a_release_that_fails_its_gate_goes_back_by_itself_and_the_fleet_stops_there(
    hospital: Site, fleet: dict[str, Machine], bundles: Bundles
) -> None:
    before = {name: status(host)["version"] for name, host in fleet.items()}
    main = fleet["south"].property("MainPID")
    hospital.variables["voiced_bundle"] = bundles.of(BAD)
    rolled = hospital.play("rollout")

    assert 0 != rolled.code
    assert re.search('north: "(Place one real call|Judge it)" failed', rolled.said)
    assert (before["north"], True) == (
        status(fleet["north"])["version"],
        status(fleet["north"])["ready"],
    )
    assert main == fleet["south"].property("MainPID")
    assert BAD not in fleet["south"].run("ls", "/opt/voiced/releases")
