"""Figures of a run, kept as JSON, and how they compare with an earlier run."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from os import cpu_count
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure.

    Attributes:
        benchmark: what was measured: `simulate plain`.
        nodes: size of the cluster, 0 where there is none.
        value: the median.
        unit: `s`, `ms`, `MB`, `pods/s` or `times`.
        runs: how many values the median is of.
    """

    benchmark: str
    nodes: int
    value: float
    unit: str
    runs: int = 1

    @property
    def more_is_better(self) -> bool:
        """Whether a larger value is an improvement."""
        return self.unit.endswith("/s")


def save(path: Path, figures: Sequence[Figure]) -> None:
    """Write a run with what it ran on."""
    machine = {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "system": platform.system(),
        "cpus": cpu_count(),
    }
    run = {"machine": machine, "figures": [asdict(figure) for figure in figures]}
    path.write_text(json.dumps(run, indent=2) + "\n")


def load(path: Path) -> list[Figure]:
    """The figures of a run."""
    run: dict[str, Any] = json.loads(path.read_text())
    return [Figure(**figure) for figure in run["figures"]]


def speed_ups(now: Iterable[Figure], earlier: Iterable[Figure]) -> Iterator[tuple[Figure, float]]:
    """Figures that both runs have, with how many times better than before; below 1 is worse."""
    before = {(figure.benchmark, figure.nodes): figure.value for figure in earlier}
    for figure in now:
        was = before.get((figure.benchmark, figure.nodes))
        if was and figure.value:
            yield figure, figure.value / was if figure.more_is_better else was / figure.value
