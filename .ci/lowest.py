"""Print the lowest release that each dependency may have, one a line: `numpy==1.26`.

They go with the lowest Python: releases of a time have no wheels for a Python that came later.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

project = tomllib.loads(Path("pyproject.toml").read_text())["project"]
lowest = project["requires-python"].removeprefix(">=")
if "{}.{}".format(*sys.version_info) != lowest:
    sys.exit(f"the lowest dependencies are those of Python {lowest}; later ones go with the newest")
extras = project["optional-dependencies"]
for requirement in project["dependencies"] + extras["plan"] + extras["sweep"]:
    match = re.match(r"([A-Za-z0-9_.-]+)>=([0-9.]+)", requirement)
    assert match is not None, requirement
    print(f"{match[1]}=={match[2]}")
