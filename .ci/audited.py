"""What pip-audit found: known vulnerabilities, and how many packages it has no data of."""

from __future__ import annotations

import json
import sys
from pathlib import Path


def main(path: Path) -> int:
    """Print it; 1 where a package is known to be vulnerable."""
    text = path.read_text()
    if not text:
        print("== pip-audit: cannot reach its data")
        return 0
    packages = [
        one for one in json.loads(text)["dependencies"] if "editable" not in one.get("skip_reason", "")
    ]
    unknown = [one for one in packages if "skip_reason" in one]
    found = [(one, known) for one in packages for known in one.get("vulns", ())]
    for one, known in found:
        print(f"{one['name']} {one['version']}: {known['id']}, mended in {', '.join(known['fix_versions'])}")
    if len(unknown) == len(packages):
        print(f"== pip-audit: cannot reach its data, of none of {len(packages)} packages")
    else:
        print(
            f"== pip-audit: {len(found)} vulnerabilities; {len(unknown)} of {len(packages)} packages without data"
        )
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1])))
