"""A machine of the test's own: a real systemd in a container on an overlay of this machine's root.

What is written in it is gone with it, and it is gone with the test, however that ends. The program
lies at /opt/voiced/current as at a site, though it is this checkout with this interpreter. It knows
nothing of what is tested.
"""

import contextlib
import os
import shutil
import site
import subprocess
import sys
import sysconfig
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PREFIX = "voiced-test-"
NAME = f"{PREFIX}{os.getpid()}"
BOOT_S = 60.0
GROUPS = ("unified", "systemd")
MASKED = (
    "apt-daily.timer",
    "apt-daily-upgrade.timer",
    "console-getty.service",
    "containerd.service",
    "docker.service",
    "docker.socket",
    "getty@tty1.service",
    "postgresql.service",
    "ssh.service",
    "systemd-timesyncd.service",
)


def missing() -> str | None:
    """Why there can be no such machine here; None: there can."""
    if os.geteuid() != 0:
        return "a container of our own needs root"
    if shutil.which("systemd-nspawn") is None:
        return "needs systemd-nspawn (Debian package systemd-container)"
    if not any(Path("/sys/fs/cgroup", group).is_dir() for group in GROUPS):
        return "needs /sys/fs/cgroup/unified or /sys/fs/cgroup/systemd to put the container in"
    return None


class Machine:
    """A booted container."""

    def __init__(self, root: Path, leader: int) -> None:
        self.root = root
        """Its root directory, seen from outside."""
        self._leader = str(leader)

    def run(self, *command: str, seconds: float = 60.0, check: bool = True) -> str:
        """What a command in the machine prints."""
        inside = ["nsenter", "-t", self._leader, "-a", "--", *command]
        done = subprocess.run(inside, capture_output=True, text=True, timeout=seconds, check=False)
        assert not check or done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout

    def property(self, name: str, unit: str = "voiced") -> str:
        """One of a unit's properties, as `systemctl show` has it."""
        return self.run("systemctl", "show", unit, "-p", name, "--value").strip()

    def until(self, unit: str = "voiced", seconds: float = 30.0, **wanted: str) -> None:
        """Waits until a unit's properties are as wanted."""
        deadline = time.monotonic() + seconds
        found: dict[str, str] = {}
        while time.monotonic() < deadline:
            shown = self.run("systemctl", "show", unit, *(f"-p{name}" for name in wanted))
            found = dict(line.split("=", 1) for line in shown.splitlines() if "=" in line)
            if found == wanted:
                return
            time.sleep(0.1)
        journal = self.run("journalctl", "--no-pager", "-u", unit, "-n", "40", "-o", "cat")
        raise AssertionError(f"{unit} is {found}, not {wanted}: {journal}")

    def write(self, path: str, text: str, mode: int = 0o644) -> None:
        """Writes a file of the machine."""
        place = self.root / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        place.chmod(mode)


@contextlib.contextmanager
def machine(models: Path | None) -> Iterator[Machine]:
    """Boots one, with this checkout's units installed and weights at their place; ends it."""
    sweep()
    with contextlib.ExitStack() as stack:
        root = overlay(NAME, stack) / "root"
        _install(root)
        binds = [f"{ROOT}:/opt/voiced/source", f"{site.getsitepackages()[0]}:/opt/voiced/packages"]
        binds += [f"{sys.base_prefix}:/opt/python"]
        if models is not None:
            binds.append(f"{models}:/var/lib/voiced/models")
        found = boot(NAME, root, [*map("--bind-ro={}".format, binds), "--private-network"], stack)
        found.run("systemd-sysusers")
        found.run("systemd-tmpfiles", "--create", "voiced.conf")
        yield found


def overlay(
    name: str, stack: contextlib.ExitStack, lower: tuple[Path, ...] = (), size: str = "1g"
) -> Path:
    """A folder with `root`, this machine's own under layers of others, and `up`, what is written.

    The highest of `lower` comes first.
    """
    base = Path("/run") / name
    base.mkdir()
    stack.callback(base.rmdir)
    _do("mount", "-t", "tmpfs", "-o", f"size={size}", name, str(base))
    stack.callback(_do, "umount", "-l", str(base))
    for name in ("up", "work", "root"):
        (base / name).mkdir()
    below = ":".join([*map(str, lower), "/"])
    layers = f"lowerdir={below},upperdir={base}/up,workdir={base}/work"
    _do("mount", "-t", "overlay", name, "-o", layers, str(base / "root"))
    stack.callback(_do, "umount", "-l", str(base / "root"))
    return base


def bare(root: Path) -> None:
    """Nothing of this machine's own runs there."""
    for unit in MASKED:
        link = root / "etc/systemd/system" / unit
        link.unlink(missing_ok=True)
        link.symlink_to("/dev/null")
    (root / "etc/machine-id").write_text(f"{uuid.uuid4().hex}\n")


def _install(root: Path) -> None:
    """As docs/operations.md says, but for the interpreter, which cannot be moved."""
    bare(root)
    for unit in ("voiced.service", "voiced.socket", "voiced-gpu-prep.service"):
        shutil.copy(ROOT / "systemd" / unit, root / "etc/systemd/system" / unit)
    drop_in = root / "etc/systemd/system/voiced.service.d/python.conf"
    drop_in.parent.mkdir()
    drop_in.write_text("[Service]\nEnvironment=LD_LIBRARY_PATH=/opt/python/lib\n")
    for kind in ("sysusers.d", "tmpfiles.d"):
        (root / "etc" / kind).mkdir(exist_ok=True)
        shutil.copy(ROOT / "systemd" / kind / "voiced.conf", root / "etc" / kind / "voiced.conf")
    current = root / "opt/voiced/current"
    (current / "bin").mkdir(parents=True)
    python = Path(sys.base_prefix, "bin", f"python{sysconfig.get_python_version()}").name
    (current / "bin/python").symlink_to(f"/opt/python/bin/{python}")
    (current / "pyvenv.cfg").write_text("home = /opt/python/bin\n")
    packages = current / f"lib/python{sysconfig.get_python_version()}/site-packages"
    packages.mkdir(parents=True)
    (packages / "place.pth").write_text("/opt/voiced/source\n/opt/voiced/packages\n")


def boot(name: str, root: Path, options: list[str], stack: contextlib.ExitStack) -> Machine:
    """Boots what lies at `root`; it is halted when `stack` is left."""
    groups = [Path("/sys/fs/cgroup", group, name) for group in GROUPS]
    groups = [group for group in groups if group.parent.is_dir()]
    for group in groups:
        group.mkdir()
    stack.callback(_clear, groups)

    def enter() -> None:
        for group in groups:
            (group / "cgroup.procs").write_text(str(os.getpid()))

    command = [
        "setpriv",
        "--pdeathsig",
        "TERM",
        "systemd-nspawn",
        "-q",
        "-D",
        str(root),
        "-M",
        name,
        "--register=no",
        "--keep-unit",
    ]
    command += ["--console=pipe", "--capability=all", "--system-call-filter=bpf", *options, "-b"]
    environment = {**os.environ, "SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "1"}
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=environment,
        preexec_fn=enter,
        start_new_session=True,
    )
    stack.callback(_end, process)
    return Machine(root, _leader(process))


def _leader(process: "subprocess.Popen[bytes]") -> int:
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    deadline = time.monotonic() + BOOT_S
    while time.monotonic() < deadline and process.poll() is None:
        found = children.read_text().split()
        if found:
            ask = ["nsenter", "-t", found[0], "-a", "systemctl", "is-system-running"]
            state = subprocess.run(ask, capture_output=True, text=True, check=False).stdout.strip()
            if state in ("running", "degraded"):
                return int(found[0])
        time.sleep(0.1)
    process.kill()
    _out, said = process.communicate()
    raise AssertionError(f"the container did not boot: {said.decode()[-1000:]}")


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Its init is told to halt; what is left after a while is killed."""
    process.terminate()
    try:
        process.communicate(timeout=15)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()


def _clear(groups: list[Path]) -> None:
    for top in groups:
        for folder in sorted(top.rglob("*"), reverse=True):
            if folder.is_dir():
                with contextlib.suppress(OSError):
                    folder.rmdir()
        with contextlib.suppress(OSError):
            top.rmdir()


def sweep() -> None:
    """Takes away what a test that was killed has left."""
    for base in Path("/run").glob(f"{PREFIX}*"):
        if not Path("/proc", base.name.removeprefix(PREFIX).partition("-")[0]).exists():
            for place in (base / "root", base):
                subprocess.run(["umount", "-l", str(place)], capture_output=True, check=False)
            base.rmdir()
            _clear([Path("/sys/fs/cgroup", group, base.name) for group in GROUPS])


def _do(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)


if __name__ == "__main__":
    sys.exit(missing())
