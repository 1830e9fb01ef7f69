"""Makes a bundle: what the role `voiced` installs on machines that have no network.

    FOLDER/
      packages.tar         wheels at the lock's hashes, and the list that pip checks them against
      voiced.tar           voiced's own wheel, its units, the test question, an SBOM
      models.tar           the profile's models as they lie in the store, and pins.toml
      release.json         version, Python, profile, and the SHA-256 of the three
      release.json.sig     the same, signed; `ssh-keygen -Y verify -n voiced-bundle`

Archives of the same content are the same to the byte, so a host that has one already is not sent it
again. It does not know hosts.
"""

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from voiced.catalog.model import Model
from voiced.catalog.store import open_store
from voiced.cli.options import settings_of
from voiced.gpu.wheels import clashes

ROOT = Path(__file__).resolve().parents[1]
NAMESPACE = "voiced-bundle"
QUESTION = ROOT / "tests/data/question_visiting_hours.wav"
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "-q")


def main() -> None:
    """Exit 1 with a sentence when a part is not to be had."""
    parser = argparse.ArgumentParser(
        prog="bundle", description="a bundle for hosts without network"
    )
    parser.add_argument("folder", type=Path, help="is made; must not be there")
    parser.add_argument("--config", type=Path, help="settings whose models and profile go along")
    parser.add_argument("--lock", type=Path, default=ROOT / "requirements/cpu.txt")
    parser.add_argument(
        "--wheels", type=Path, help="a folder that has all wheels; else pip fetches"
    )
    parser.add_argument("--sign", type=Path, metavar="KEY", help="a private key of ssh-keygen")
    args = parser.parse_args()
    if args.folder.exists():
        parser.error(f"{args.folder} is there already")
    partial = args.folder.with_name(args.folder.name + ".part")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    with tempfile.TemporaryDirectory(dir=partial) as work:
        _fill(partial, Path(work), args)
    if args.sign is not None:
        signed = str(partial / "release.json")
        _run("ssh-keygen", "-q", "-Y", "sign", "-f", str(args.sign), "-n", NAMESPACE, signed)
    partial.rename(args.folder)
    print(f"{args.folder}: {sum(one.stat().st_size for one in args.folder.iterdir()) >> 20} MB")


def _fill(folder: Path, work: Path, args: argparse.Namespace) -> None:
    settings = settings_of(args).models
    store = open_store(settings)
    names = sorted(set(store.catalog.profile(settings.profile).names))
    packages, program = work / "packages", work / "voiced"
    packages.mkdir()
    program.mkdir()
    if args.wheels is not None:
        for wheel in sorted(args.wheels.glob("*.whl")):
            own = wheel.name.startswith("voiced-")
            shutil.copy(wheel, program if own else packages)
    else:
        _fetch(packages, args.lock, work)
        _run(*PIP, "wheel", "--no-deps", "--no-build-isolation", "-w", str(program), str(ROOT))
    (own,) = program.glob("voiced-*.whl")
    (pip,) = packages.glob("pip-*.whl")
    pip.rename(packages / "pip.whl")
    wheels = sorted(packages.glob("*-*.whl"))
    (packages / "requirements.txt").write_text("".join(map(_pinned, wheels)))
    (program / "requirements.txt").write_text(_pinned(own))
    _sbom(program / "sbom.json", [own, *wheels], [store.model(name) for name in names], work)
    shutil.copytree(ROOT / "systemd", program / "systemd", ignore=shutil.ignore_patterns(".*"))
    shutil.copy(QUESTION, program / "question.wav")
    _pack(folder / "packages.tar", packages)
    _pack(folder / "voiced.tar", program)
    for name in names:
        store.directory_of(name)  # hashes each file, and raises when one is another
    pins = [settings.pins_file] if settings.pins_file.is_file() else []
    _pack(folder / "models.tar", store.directory, names, pins)
    release = {
        "version": own.name.split("-")[1],
        "python": f"{sys.version_info.major}.{sys.version_info.minor}",
        "profile": settings.profile,
        "sha256": {one.name: _sha256(one) for one in sorted(folder.glob("*.tar"))},
    }
    (folder / "release.json").write_text(json.dumps(release, indent=1) + "\n")


def _fetch(packages: Path, lock: Path, work: Path) -> None:
    """Each at its hash; llama.cpp as scripts/llama-wheel compiles it, and pip for the host."""
    text = lock.read_text()
    blocks = re.split(r"(?m)^(?=[a-zA-Z])", text)
    (work / "lock.txt").write_text(
        "".join(block for block in blocks if not block.startswith("llama-cpp-python=="))
    )
    build = re.split(r"(?m)^(?=[a-zA-Z])", (ROOT / "requirements/build.txt").read_text())
    (work / "pip.txt").write_text(next(block for block in build if block.startswith("pip==")))
    for wanted in ("lock.txt", "pip.txt"):
        _run(
            *PIP, "wheel", "--no-deps", "--no-build-isolation", "--require-hashes",
            "-r", str(work / wanted), "-w", str(packages),
        )  # fmt: skip
    card = ["--cuda"] if re.search(r"(?m)^onnxruntime-gpu==", text) else []
    _run(str(ROOT / "scripts/llama-wheel"), *card, str(lock), str(work / "llama"))
    shutil.copy((work / "llama").read_text().strip(), packages)
    if wrong := clashes(packages.glob("*.whl")):
        sys.exit(f"bundle: {'; '.join(wrong)}")


def _pack(
    archive: Path, folder: Path, names: list[str] | None = None, more: Sequence[Path] = ()
) -> None:
    """No names, owners or times of the machine that it is made on."""

    def plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.uid = entry.gid = entry.mtime = 0
        entry.uname = entry.gname = "root"
        entry.mode = 0o755 if entry.isdir() else 0o644
        return entry

    with tarfile.open(archive, "w") as packed:
        for name in names or sorted(one.name for one in folder.iterdir()):
            packed.add(folder / name, name, filter=plain)
        for path in more:
            packed.add(path, path.name, filter=plain)


def _pinned(wheel: Path) -> str:
    name, version = wheel.name.split("-")[:2]
    return f"{name}=={version} --hash=sha256:{_sha256(wheel)}\n"


def _sbom(place: Path, wheels: list[Path], models: list[Model], work: Path) -> None:
    """What goes along, by the tools that also write the program's own."""
    listed = work / "models.json"
    listed.write_text(json.dumps({"models": [asdict(model) for model in models]}))
    named = [str(ROOT / "scripts/supply"), "sbom", str(place), "--models", str(listed), "--wheels"]
    _run(*named, *map(str, wheels))


def _sha256(path: Path) -> str:
    with path.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _run(*command: str) -> None:
    done = subprocess.run(command, cwd=ROOT, check=False)
    if done.returncode != 0:
        sys.exit(f"bundle: {command[0]} failed with {done.returncode}, see above")


main()
