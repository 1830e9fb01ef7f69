"""Writes the bill of materials (CycloneDX, JSON): sbom.py FILE [--models FILE] [--wheels W ...].

Every package of the lock, with the hashes that the lock allows, and every model of the catalogue
with the hash of each file. Of a bundle, what it holds in their place: the wheels, each with its own
hash, and the models of a JSON file in the catalogue's form. The same parts give the same bytes.
Runs among the tools of scripts/supply, without voiced.
"""

import argparse
import hashlib
import json
import re
import tomllib
import uuid
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from email.message import Message
from email.parser import HeaderParser
from pathlib import Path
from typing import Any

from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import DisjunctiveLicense
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

ROOT = Path(__file__).resolve().parents[1]
LOCK = ROOT / "requirements/cpu.txt"
CATALOG = ROOT / "models/catalog.toml"


def packages(lock: str) -> Iterator[Component]:
    for block in re.split(r"\n(?=[a-z0-9])", lock):
        found = re.match(r"([a-z0-9._-]+)==([^\s;\\]+)", block)
        if found is None:
            continue
        name, version = found.groups()
        purl = PackageURL("pypi", name=name, version=version)
        hashes = re.findall(r"--hash=sha256:([0-9a-f]{64})", block)
        yield Component(
            name=name,
            version=version,
            purl=purl,
            bom_ref=purl.to_string(),
            properties=[Property(name="voiced:lock:sha256", value=one) for one in hashes],
        )


def wheels(paths: Sequence[Path]) -> Iterator[Component]:
    for path in paths:
        about = metadata(path)
        name, version = str(about["Name"]), str(about["Version"])
        licence = about["License-Expression"] or about["License"] or "see the package"
        purl = PackageURL("pypi", name=re.sub(r"[-_.]+", "-", name).lower(), version=version)
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        yield Component(
            name=name,
            version=version,
            purl=purl,
            bom_ref=purl.to_string(),
            licenses=[DisjunctiveLicense(name=licence.splitlines()[0][:100])],
            hashes=[HashType(alg=HashAlgorithm.SHA_256, content=digest)],
        )


def metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as opened:
        inside = re.compile(r"[^/]+\.dist-info/METADATA")
        (place,) = filter(inside.fullmatch, opened.namelist())
        return HeaderParser().parsestr(opened.read(place).decode("utf-8"))


def models(catalog: Mapping[str, Any]) -> Iterator[Component]:
    for model in catalog["models"]:
        yield Component(
            type=ComponentType.MACHINE_LEARNING_MODEL,
            name=model["name"],
            version=model["version"],
            bom_ref=f"model:{model['name']}",
            licenses=[DisjunctiveLicense(name=model["licence"])],
            components=[
                Component(
                    type=ComponentType.FILE,
                    name=file["name"],
                    bom_ref=f"model:{model['name']}/{file['name']}",
                    hashes=[
                        HashType(alg=HashAlgorithm.SHA_256, content=pinned)
                        for pinned in [file.get("sha256")]
                        if pinned  # the others a site pins itself
                    ],
                )
                for file in model["files"]
            ],
        )


def bom(parts: list[Component]) -> Bom:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    names = "\n".join(sorted(f"{part.bom_ref} {part.hashes}" for part in parts))
    made = Bom(components=parts, serial_number=uuid.uuid5(uuid.NAMESPACE_URL, names))
    made.metadata.timestamp = datetime.fromtimestamp(0, UTC)
    made.metadata.component = Component(
        type=ComponentType.APPLICATION,
        name=project["name"],
        version=project["version"],
        bom_ref="voiced",
        licenses=[DisjunctiveLicense(name=project["license"])],
    )
    made.register_dependency(made.metadata.component, list(made.components))
    return made


def main() -> None:
    parser = argparse.ArgumentParser(prog="sbom", description="the bill of materials")
    parser.add_argument("file", type=Path)
    parser.add_argument(
        "--wheels", nargs="+", type=Path, help="in the place of the lock's packages"
    )
    parser.add_argument("--models", type=Path, help="JSON, in the place of the catalogue's models")
    args = parser.parse_args()
    packed = wheels(args.wheels) if args.wheels else packages(LOCK.read_text())
    catalog = (
        json.loads(args.models.read_text()) if args.models else tomllib.loads(CATALOG.read_text())
    )
    args.file.parent.mkdir(parents=True, exist_ok=True)
    made = bom([*packed, *models(catalog)])
    JsonV1Dot6(made).output_to_file(str(args.file), allow_overwrite=True, indent=2)
    print(f"{args.file}: written")


if __name__ == "__main__":
    main()
