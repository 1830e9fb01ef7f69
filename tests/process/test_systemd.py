"""The appliance's units: checked as text, and run under a real systemd in a container.

Where systemd's own limits are clipped by the machine that the tests run on, the test says so.
"""

import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.process.container import ROOT, Machine, machine, missing

pytestmark = [pytest.mark.process, pytest.mark.timeout(180)]

UNITS = (
    "voiced.service",
    "voiced.socket",
    "voiced-gpu-prep.service",
    "voiced-firewall.service",
    "voiced-sonic.service",
    "voiced-sonic-licence.service",
    "voiced-sonic-licence.path",
)
TOKEN = "a-token-of-sixteen-characters"
SETTINGS = "[http]\nport = 8080\n[models]\nproduction = false\n[calls]\ndrain_ms = 1000\n"
PROGRAM = "/opt/voiced/source/tests/process/stand_in.py"
STAND_IN = f"""[Service]
ExecStart=
ExecStart=/opt/voiced/current/bin/python -P -X faulthandler {PROGRAM}
WatchdogSec=2
RestartSec=100ms
"""
PYTHON = ("env", "LD_LIBRARY_PATH=/opt/python/lib", "/opt/voiced/current/bin/python")

ASK = """
import sys, urllib.error, urllib.request
shown = {"Authorization": "Bearer " + sys.argv[2]} if sys.argv[2] else {}
try:
    print(urllib.request.urlopen(urllib.request.Request(sys.argv[1], headers=shown)).status)
except urllib.error.HTTPError as refused:
    print(refused.code)
"""

needs_analyze = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="needs systemd-analyze (package systemd)"
)
needs_machine = pytest.mark.skipif(missing() is not None, reason=str(missing()))


@pytest.fixture
def units(tmp_path: Path) -> list[str]:
    """The units, with programs that are there on every machine."""
    for name in UNITS:
        text = (ROOT / "systemd" / name).read_text()
        text = re.sub(r"(?m)^(Exec\w+)=.*", r"\1=/bin/true", text)
        (tmp_path / name).write_text(text)
    return [str(tmp_path / name) for name in UNITS]


def analyze(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["systemd-analyze", *arguments], capture_output=True, text=True, timeout=60, check=False
    )


@needs_analyze
def test_systemd_has_nothing_to_say_about_the_units(units: list[str]) -> None:
    said = analyze("verify", "--man=no", *units)

    assert (0, "") == (said.returncode, said.stderr)


@needs_analyze
def test_the_service_is_exposed_to_little(units: list[str]) -> None:
    """1.5 of 10; a web server as packaged has 9."""
    said = analyze("security", "--offline=true", "--threshold=15", "--no-pager", units[0])

    assert 0 == said.returncode, said.stdout


@pytest.fixture(scope="module")
def host(models_dir: Path) -> Iterator[Machine]:
    """A machine on which the appliance is installed, and not started."""
    with machine(models_dir) as host:
        agent = (ROOT / "docs/examples/agents/reception.toml").read_text()
        host.write("/etc/voiced/agents.d/reception.toml", agent)
        host.write("/etc/voiced/secrets/token", TOKEN + "\n", 0o600)
        host.write("/etc/voiced/secrets/audit-key", "k" * 32, 0o600)
        yield host


Prepare = Callable[..., Machine]


@pytest.fixture
def prepare(host: Machine) -> Iterator[Prepare]:
    """The machine with settings and a drop-in of the test's own; nothing of it runs afterwards."""

    def prepared(drop_in: str = STAND_IN, settings: str = SETTINGS) -> Machine:
        host.write("/etc/voiced/voiced.toml", settings)
        host.write("/etc/systemd/system/voiced.service.d/test.conf", drop_in)
        host.run("systemctl", "daemon-reload")
        host.run("journalctl", "--rotate")
        host.run("journalctl", "--vacuum-time=1s")
        return host

    yield prepared
    host.run("systemctl", "kill", "-s", "KILL", "voiced.service", check=False)
    host.run("systemctl", "stop", "voiced.socket", "voiced.service")
    host.run("systemctl", "reset-failed")


def journal(host: Machine, *more: str) -> str:
    return host.run("journalctl", "-u", "voiced", "--no-pager", "-o", "cat", *more)


def get(host: Machine, url: str, token: str = "") -> int:
    """The status of an answer from within the machine."""
    return int(host.run(*PYTHON, "-c", ASK, url, token))


@needs_machine
def test_the_appliance_starts_and_answers_a_call_under_its_unit(prepare: Prepare) -> None:
    """Every hardening of the unit is on, and the real models answer a real call."""
    host = prepare(drop_in="")
    host.run("systemctl", "start", "voiced", seconds=120)

    assert ("active", "ready") == (host.property("ActiveState"), host.property("StatusText"))
    assert "voiced" == host.run("ps", "-o", "user=", "-p", host.property("MainPID")).strip()
    calls = "http://127.0.0.1:8080/v1/realtime/calls"
    audio = "/opt/voiced/source/tests/data/question_visiting_hours.wav"
    place = (*PYTHON, "-m", "voiced", "call", calls, "--audio", audio, "--token", TOKEN, "--json")
    report = json.loads(host.run(*place, seconds=90))
    assert "visit" in report["turns"][0]["heard"]
    assert report["turns"][0]["reply"]
    call = json.loads(journal(host, "EVENT=call.closed").splitlines()[0])["call"]
    assert "call.opened" in journal(host, f"CALL_ID={call}")
    host.run("systemctl", "stop", "voiced")
    assert "success" == host.property("Result")
    host.write("/etc/voiced/seen", journal(host, "EVENT=audit.head"))
    verify = (*PYTHON, "-m", "voiced", "audit", "verify", "--witness", "/etc/voiced/seen", "--json")
    found = json.loads(host.run(*verify))
    assert (True, True) == (found["ok"], found["witnessed"] >= 1)
    assert call in host.run(*PYTHON, "-m", "voiced", "audit", "export")
    host.run("systemctl", "start", "voiced", seconds=120)  # root's export has left it its files
    host.run("systemctl", "stop", "voiced")
    assert True is json.loads(host.run(*verify))["ok"]


@needs_machine
@pytest.mark.parametrize(
    ("number", "stuck", "where"),
    [
        ("SIGUSR1", None, "hang"),
        ("SIGUSR2", "stt:stand-in", "hang"),
        ("SIGALRM", "rtc", "hang"),
        ("SIGWINCH", "rtc", "starve"),
    ],
    ids=["the main loop", "an engine's thread", "the media loop", "a media loop that is starved"],
)
def test_what_hangs_is_ended_with_every_stack_in_the_journal_and_started_again(
    prepare: Prepare, number: str, stuck: str | None, where: str
) -> None:
    host = prepare()
    host.run("systemctl", "start", "voiced")
    host.run("systemctl", "kill", "--kill-whom=main", "-s", number, "voiced")
    host.until(NRestarts="1", ActiveState="active", StatusText="ready")

    said = journal(host)
    assert "Watchdog timeout" in said
    assert "Fatal Python error: Aborted" in said
    assert re.search(rf"stand_in\.py\", line \d+ in {where}\b", said)
    assert stuck is None or f'"thread": "{stuck}"' in said


@needs_machine
def test_one_that_has_nothing_to_do_is_left_alone(prepare: Prepare) -> None:
    """Twice as long as the watchdog waits."""
    host = prepare()
    host.run("systemctl", "start", "voiced")
    host.run("sleep", "4")

    assert ("active", "0") == (host.property("ActiveState"), host.property("NRestarts"))


@needs_machine
def test_a_slow_start_and_a_long_drain_are_not_taken_for_hangs(prepare: Prepare) -> None:
    """Each stage that loads asks for time, and so does each moment of a drain."""
    slow = "TimeoutStartSec=10\nEnvironment=SLOW_S=11\nTimeoutStopSec=1\nEnvironment=DRAIN_S=3\n"
    host = prepare(STAND_IN + slow)
    host.run("systemctl", "start", "voiced")
    assert ("active", "0") == (host.property("ActiveState"), host.property("NRestarts"))

    host.run("systemctl", "stop", "voiced")
    assert "success" == host.property("Result")
    assert '"event": "daemon.stopped"' in journal(host)


@needs_machine
def test_a_wrong_key_ends_it_for_good(prepare: Prepare) -> None:
    """No restart mends a configuration."""
    host = prepare("", "[http]\nprot = 1\n")
    host.run("systemctl", "start", "voiced", check=False)

    assert ("failed", "78", "0") == (
        host.property("ActiveState"),
        host.property("ExecMainStatus"),
        host.property("NRestarts"),
    )
    assert "http.prot" in journal(host)


@needs_machine
def test_the_token_reaches_the_daemon_as_a_credential_only(prepare: Prepare) -> None:
    host = prepare()
    host.run("systemctl", "start", "voiced")

    assert 401 == get(host, "http://127.0.0.1:8080/metrics")
    assert 200 == get(host, "http://127.0.0.1:8080/metrics", TOKEN)
    main = host.property("MainPID")
    told = host.run("cat", f"/proc/{main}/environ", f"/proc/{main}/cmdline") + journal(host)
    assert TOKEN not in told


@needs_machine
def test_without_its_token_it_does_not_start(prepare: Prepare) -> None:
    host = prepare()
    host.run("mv", "/etc/voiced/secrets/token", "/etc/voiced/secrets/away")
    try:
        host.run("systemctl", "start", "voiced", check=False)
        assert "active" != host.property("ActiveState")
    finally:
        host.run("mv", "/etc/voiced/secrets/away", "/etc/voiced/secrets/token")


@needs_machine
def test_the_first_caller_starts_it_through_the_socket(prepare: Prepare) -> None:
    """Port 443 without a right to bind it; it stays open while the daemon dies and returns."""
    host = prepare()
    host.run("systemctl", "start", "voiced.socket")
    assert "inactive" == host.property("ActiveState")
    get(host, "http://127.0.0.1:443/readyz")
    host.until(ActiveState="active")
    assert 200 == get(host, "http://127.0.0.1:443/readyz")

    host.run("systemctl", "kill", "--kill-whom=main", "-s", "KILL", "voiced.service")
    host.until(ActiveState="active", NRestarts="1")
    host.until("voiced.socket", ActiveState="active")
    assert 200 == get(host, "http://127.0.0.1:443/readyz")


@needs_machine
def test_a_stop_closes_the_socket_too(prepare: Prepare) -> None:
    """Or the next caller would start again what an operator has stopped."""
    host = prepare()
    host.run("systemctl", "start", "voiced.socket", "voiced.service")
    host.run("systemctl", "stop", "voiced.service")

    host.until("voiced.socket", ActiveState="inactive")
    assert "inactive" == host.property("ActiveState")


@needs_machine
def test_the_media_loop_goes_ahead_of_all_that_computes(prepare: Prepare) -> None:
    """SCHED_RR for that one thread, through the unit's own filters.

    The container cannot raise RLIMIT_RTPRIO, so the right comes from a capability here.
    """
    may = "PrivateUsers=no\nCapabilityBoundingSet=CAP_SYS_NICE\nAmbientCapabilities=CAP_SYS_NICE\n"
    host = prepare(STAND_IN + may)
    host.run("systemctl", "start", "voiced")

    main = host.property("MainPID")
    threads = host.run("sh", "-c", f"cat /proc/{main}/task/*/stat").splitlines()
    scheduled = [line.rpartition(") ")[2].split()[37:39] for line in threads]
    assert [["2", "2"]] == [pair for pair in scheduled if pair != ["0", "0"]]
    assert "5" == host.property("LimitRTPRIO")


@needs_machine
def test_a_reload_takes_a_new_agent_or_leaves_the_old_ones_in_force(prepare: Prepare) -> None:
    host = prepare()
    place = host.root / "etc/voiced/agents.d/reception.toml"
    agent = place.read_text()
    host.run("systemctl", "start", "voiced")
    main = host.property("MainPID")

    place.write_text(agent.replace("greeting =", "greating =", 1))
    host.run("systemctl", "reload", "voiced")
    host.until(SubState="running")
    assert "refused" in host.property("StatusText")
    assert "greating" in journal(host)

    place.write_text(agent)
    host.run("systemctl", "reload", "voiced")
    host.until(StatusText="ready", SubState="running", MainPID=main)


def voiced(host: Machine, *verb: str) -> str:
    """What the program prints in the machine."""
    return host.run(*PYTHON, "-m", "voiced", *verb)


@needs_machine
def test_an_operator_empties_it_takes_that_back_and_stops_it(prepare: Prepare) -> None:
    host = prepare()
    host.run("systemctl", "start", "voiced")
    status = json.loads(voiced(host, "status", "--json"))
    assert (True, 0, ["reception"]) == (status["ready"], status["calls"], status["agents"])

    voiced(host, "drain")
    assert 503 == get(host, "http://127.0.0.1:8080/readyz")
    assert "draining" in host.property("StatusText")
    voiced(host, "drain", "--undo")
    assert 200 == get(host, "http://127.0.0.1:8080/readyz")
    assert "ready" == host.property("StatusText")

    voiced(host, "drain")
    host.run("systemctl", "stop", "voiced")
    assert "success" == host.property("Result")
    assert "daemon.stopped" in journal(host)


@needs_machine
def test_who_is_no_operator_may_not_ask(prepare: Prepare) -> None:
    host = prepare()
    host.run("systemctl", "start", "voiced")
    nobody = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
    ask = " ".join([*nobody, *PYTHON, "-m", "voiced", "status"])

    assert "69" == host.run("sh", "-c", f"{ask} >/dev/null; echo $?").strip()
