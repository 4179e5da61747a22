"""The software bill of materials of a wheel, as CycloneDX: it, and all that it needs as this environment has it."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from packaging.requirements import Requirement


def main(path: Path) -> None:
    """Print the bill of a wheel."""
    with ZipFile(path) as wheel:
        name = next(name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = wheel.read(name).decode().partition("\n\n")[0]
    found = dict(re.findall(r"^(Name|Version|License-Expression): (.*)$", metadata, re.MULTILINE))
    needed = re.findall(r"^Requires-Dist: (.*)$", metadata, re.MULTILINE)
    parts = {part.metadata["Name"].lower(): part for part in _needed(needed, set())}
    own = {
        "type": "application",
        "name": found["Name"],
        "version": found["Version"],
        "purl": f"pkg:pypi/{found['Name']}@{found['Version']}",
        "licenses": [{"expression": found["License-Expression"]}],
        "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(path.read_bytes()).hexdigest()}],
    }
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": own},
        "components": [_component(parts[name]) for name in sorted(parts)],
    }
    json.dump(bill, sys.stdout, indent=2)
    print()


def _needed(requirements: list[str], seen: set[str]) -> Iterator[Distribution]:
    """The distributions that the requirements lead to, each once; extras are left out."""
    for requirement in map(Requirement, requirements):
        marker = requirement.marker
        if requirement.name.lower() in seen or (marker is not None and not marker.evaluate({"extra": ""})):
            continue
        seen.add(requirement.name.lower())
        try:
            found = distribution(requirement.name)
        except PackageNotFoundError:
            continue
        yield found
        yield from _needed(found.requires or [], seen)


def _component(part: Distribution) -> dict[str, Any]:
    name, version = part.metadata["Name"], part.version
    component: dict[str, Any] = {
        "type": "library",
        "name": name,
        "version": version,
        "purl": f"pkg:pypi/{name.lower()}@{version}",
    }
    if expression := part.metadata.get("License-Expression"):
        component["licenses"] = [{"expression": expression}]
    elif (text := part.metadata.get("License")) and "\n" not in text:
        component["licenses"] = [{"license": {"name": text}}]
    return component


if __name__ == "__main__":
    main(Path(sys.argv[1]))
