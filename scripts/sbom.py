"""Writes the bill of materials (CycloneDX, JSON): sbom.py FILE.

Every package of the lock that is installed, with the hashes that the lock allows, and every model
of the catalogue with the hash of each file. Runs among the tools of scripts/supply, without voiced.
"""

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

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


def models(catalog: str) -> Iterator[Component]:
    for model in tomllib.loads(catalog)["models"]:
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


def bom() -> Bom:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    made = Bom(components=[*packages(LOCK.read_text()), *models(CATALOG.read_text())])
    made.metadata.component = Component(
        type=ComponentType.APPLICATION,
        name=project["name"],
        version=project["version"],
        bom_ref="voiced",
        licenses=[DisjunctiveLicense(name=project["license"])],
    )
    made.register_dependency(made.metadata.component, list(made.components))
    return made


if __name__ == "__main__":
    place = Path(sys.argv[1])
    place.parent.mkdir(parents=True, exist_ok=True)
    JsonV1Dot6(bom()).output_to_file(str(place), allow_overwrite=True, indent=2)
    print(f"{place}: written")
