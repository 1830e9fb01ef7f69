"""Hosts of the test's own on a network of the test's own, reached over ssh as a site's are.

    controller (a network namespace) ── bridge ──┬── canary      each a container with sshd,
                                                 ├── north       and no way to anywhere else
                                                 └── south

It does not know what is installed on them.
"""

import contextlib
import json
import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.process.container import PREFIX, ROOT, Machine, bare, boot, missing, overlay, sweep

NAME = f"{PREFIX}{os.getpid()}"
NET = "10.88.0"
SSHD = """[Unit]
After=network.target
[Service]
RuntimeDirectory=sshd
ExecStart=/usr/sbin/sshd -D -e -f /etc/ssh/test_config
[Install]
WantedBy=multi-user.target
"""
SSHD_CONFIG = """HostKey /etc/ssh/test_host_key
AuthorizedKeysFile /etc/ssh/test_authorized
PermitRootLogin prohibit-password
UsePAM no
Subsystem sftp internal-sftp
"""
SSH = "-o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null"
_RECAP = re.compile(r"(?m)^(\S+)\s+: ok=\d+\s+changed=(\d+)\s+unreachable=(\d+)\s+failed=(\d+)")
_TASK = re.compile(r"TASK \[(.*?)\] \*")


def no_hosts() -> str | None:
    """Why there can be none here; None: there can."""
    for program, package in (("/usr/sbin/sshd", "openssh-server"), ("/usr/sbin/nft", "nftables")):
        if not Path(program).exists():
            return f"needs {program} (Debian package {package})"
    if not (ROOT / ".fleet/bin/ansible-playbook").exists():
        return "needs .fleet/: run scripts/fleet --setup"
    return missing()


@dataclass(frozen=True, slots=True)
class Played:
    """What a playbook did."""

    code: int
    said: str

    @property
    def changed(self) -> dict[str, int]:
        """By host, how many tasks changed something."""
        return {found[1]: int(found[2]) for found in _RECAP.finditer(self.said)}

    @property
    def failed(self) -> dict[str, int]:
        """By host, how many tasks failed for good."""
        return {found[1]: int(found[3]) + int(found[4]) for found in _RECAP.finditer(self.said)}

    @property
    def changes(self) -> list[str]:
        """The tasks that changed something, in order."""
        parts = _TASK.split(self.said)
        named = zip(parts[1::2], parts[2::2], strict=True)
        return [name for name, what in named if re.search(r"(?m)^changed: ", what)]


class Site:
    """A controller, and the hosts that are up."""

    def __init__(self, folder: Path, stack: contextlib.ExitStack) -> None:
        self.variables: dict[str, object] = {}
        """Of all hosts, for the inventory."""
        self.own: dict[str, dict[str, object]] = {}
        """Of one host, by its name."""
        self.groups: dict[str, list[str]] = {"canary": [], "nvidia": [], "sonic": []}
        """Who is in which, beside `voiced`, where all are unless it is named."""
        self._folder = folder
        self._stack = stack
        self._hosts: dict[str, Machine] = {}
        self._ends: dict[str, contextlib.ExitStack] = {}
        self._numbers: dict[str, int] = {}
        _do("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(self._key))
        _network(stack)

    def up(self, name: str, lower: tuple[Path, ...] = ()) -> Machine:
        """Boots a host: a bare machine, or one on layers that others have left."""
        number = self._numbers.setdefault(name, 11 + len(self._numbers))
        space = f"{NAME}-{number}"
        base = overlay(space, self._stack, lower, size="4g")
        _join(space, number, self._stack)
        root = base / "root"
        bare(root)
        (root / "etc/hostname").write_text(f"{name}\n")
        (root / "etc/systemd/system/test-sshd.service").write_text(SSHD)
        wants = root / "etc/systemd/system/multi-user.target.wants/test-sshd.service"
        wants.parent.mkdir(exist_ok=True)
        wants.unlink(missing_ok=True)
        wants.symlink_to("../test-sshd.service")
        (root / "etc/ssh/test_config").write_text(SSHD_CONFIG)
        authorized = root / "etc/ssh/test_authorized"
        authorized.write_text(self._key.with_suffix(".pub").read_text())
        host_key = root / "etc/ssh/test_host_key"
        host_key.unlink(missing_ok=True)
        _do("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(host_key))
        self._ends[name] = self._stack.enter_context(contextlib.ExitStack())
        options = [f"--network-namespace-path=/run/netns/{space}"]
        self._hosts[name] = boot(space, root, options, self._ends[name])
        return self._hosts[name]

    def down(self, name: str) -> Path:
        """Halts a host; what was written on it, as a layer for others."""
        self._ends.pop(name).close()
        return self._hosts.pop(name).root.parent / "up"

    def address(self, name: str) -> str:
        return f"{NET}.{self._numbers[name]}"

    def within(self, *command: str) -> list[str]:
        """A command as the controller runs it."""
        return ["nsenter", f"--net=/run/netns/{NAME}", "--", *command]

    def play(self, playbook: str, *more: str, seconds: float = 600.0) -> Played:
        """Runs one of the playbooks on the hosts that are up."""
        return self.began(playbook, *more).end(seconds)

    def began(self, playbook: str, *more: str) -> "Playing":
        """The same, and does not wait for its end."""
        inventory = self._folder / "hosts.yml"
        inventory.write_text(json.dumps(self._inventory()))
        command = [str(ROOT / "scripts/fleet"), f"playbooks/{playbook}.yml", "-i", str(inventory)]
        environment = {**os.environ, "ANSIBLE_SSH_CONTROL_PATH_DIR": str(self._folder / "ssh")}
        return Playing(
            subprocess.Popen(
                self.within(*command, *more),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                env=environment,
            )
        )

    @property
    def _key(self) -> Path:
        return self._folder / "key"

    def _inventory(self) -> dict[str, object]:
        hosts = {
            name: {
                "ansible_host": self.address(name),
                "voiced_http_host": self.address(name),
                "voiced_rtc_host": self.address(name),
                **self.own.get(name, {}),
            }
            for name in self._hosts
        }
        ssh = {
            "ansible_user": "root",
            "ansible_ssh_private_key_file": str(self._key),
            "ansible_ssh_common_args": SSH,
        }
        groups = {"canary": [], "voiced": list(hosts), **self.groups}
        children = {
            group: {"hosts": {name: {} for name in names if name in hosts}}
            for group, names in groups.items()
        }
        return {"all": {"hosts": hosts, "vars": {**ssh, **self.variables}, "children": children}}


class Playing:
    """A playbook that runs, until its end or until it is stopped."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def end(self, seconds: float = 600.0) -> Played:
        """Waits for it."""
        try:
            said, _ = self._process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            said, _ = self._process.communicate()
            raise AssertionError(f"the playbook did not end: {said[-3000:]}") from None
        return Played(self._process.returncode, said)

    def stop(self) -> None:
        if self._process.poll() is None:
            self._process.terminate()
            self._process.communicate()


@contextlib.contextmanager
def site(folder: Path) -> Iterator[Site]:
    """A site without hosts; all that comes up there is gone with it."""
    sweep()
    with contextlib.ExitStack() as stack:
        yield Site(folder, stack)


def _network(stack: contextlib.ExitStack) -> None:
    for old in Path("/run/netns").glob(f"{PREFIX}*"):
        if not Path("/proc", old.name.removeprefix(PREFIX).partition("-")[0]).exists():
            _do("ip", "netns", "del", old.name)
    _do("ip", "netns", "add", NAME)
    stack.callback(_do, "ip", "netns", "del", NAME)
    _do("ip", "-n", NAME, "link", "set", "lo", "up")
    _do("ip", "-n", NAME, "link", "add", "bridge", "type", "bridge")
    _do("ip", "-n", NAME, "addr", "add", f"{NET}.1/24", "dev", "bridge")
    _do("ip", "-n", NAME, "link", "set", "bridge", "up")


def _join(space: str, number: int, stack: contextlib.ExitStack) -> None:
    """A namespace with an address on the bridge, and no route to anywhere else."""
    port = f"port{number}"
    _do("ip", "netns", "add", space)
    stack.callback(_do, "ip", "netns", "del", space)
    _do(
        "ip",
        "-n",
        NAME,
        "link",
        "add",
        port,
        "type",
        "veth",
        "peer",
        "name",
        "eth0",
        "netns",
        space,
    )
    _do("ip", "-n", NAME, "link", "set", port, "master", "bridge", "up")
    _do("ip", "-n", space, "addr", "add", f"{NET}.{number}/24", "dev", "eth0")
    _do("ip", "-n", space, "link", "set", "eth0", "up")
    _do("ip", "-n", space, "link", "set", "lo", "up")


def _do(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)
