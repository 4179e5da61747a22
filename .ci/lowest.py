"""Print the lowest release that each dependency may have, one a line: `numpy==1.26`."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

project = tomllib.loads(Path("pyproject.toml").read_text())["project"]
extras = project["optional-dependencies"]
for requirement in project["dependencies"] + extras["plan"] + extras["sweep"]:
    match = re.match(r"([A-Za-z0-9_.-]+)>=([0-9.]+)", requirement)
    assert match is not None, requirement
    print(f"{match[1]}=={match[2]}")
