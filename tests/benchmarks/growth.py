"""How seconds and memory grow with a cluster: `python -m tests.benchmarks.growth --plots DIR`.

One size at a time grows, the others stay; the exponent is the slope of the straight line through the logarithms: 1 is
in proportion, 0 not at all.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from . import clusters
from .big_clusters import BigCluster
from .plot import growth_plot
from .processes import kschedctl
from .results import Figure, load, save
from .scale import ScaleInputs
from .table import markdown, number

_BASE: Final = BigCluster(2_000, 40_000, 1_000, 500, fill=0.95)
SERIES: Final[dict[str, tuple[str, tuple[int, ...]]]] = {
    "nodes": ("nodes", (500, 1_500, 5_000, 15_000)),
    "pods": ("pods", (5_000, 15_000, 50_000, 150_000)),
    "classes of pods": ("apps", (50, 200, 1_000, 5_000)),
    "budgets": ("budgets", (50, 200, 1_000, 4_000)),
}
"""What grows -> the field of the cluster, and how large it is."""
_QUESTIONS: Final = ("explain", "preempt", "drain")


def exponent(points: Sequence[tuple[float, float]]) -> float:
    """The slope of the straight line through the logarithms of some points, two at least."""
    xs, ys = [math.log(x) for x, _ in points], [math.log(y) for _, y in points]
    across, up = sum(xs) / len(xs), sum(ys) / len(ys)
    run = sum((x - across) ** 2 for x in xs)
    return sum((x - across) * (y - up) for x, y in zip(xs, ys, strict=True)) / run


def measured(folder: Path, share: float) -> Iterator[Figure]:
    """Seconds and memory of each question by what grows: `drain, budgets`."""
    inputs = ScaleInputs(folder)
    for what, (field, sizes) in SERIES.items():
        for size in [max(int(size * share), 9) for size in sizes]:
            cluster = _sized(field, size, share)
            path = folder / "cluster.json"
            clusters.write_list(path, cluster.objects())
            questions = {
                "explain": ("explain", inputs.pod),
                "preempt": ("preempt", inputs.preemptor),
                "drain": ("drain", "node-00002"),
            }
            for name in _QUESTIONS:
                run = kschedctl(*questions[name], "-c", str(path), "-q")
                yield Figure(f"{name}, {what}", size, run.processor, "s")
                yield Figure(f"{name}, {what}", size, run.megabytes, "MB")


def _sized(field: str, size: int, share: float) -> BigCluster:
    base = {key: max(int(getattr(_BASE, key) * share), 9) for key in ("nodes", "pods", "apps", "budgets")}
    base[field] = size
    base["apps"] = max(base["apps"], base["budgets"]) if field == "budgets" else base["apps"]
    base["pods"] = max(base["pods"], base["apps"])
    return replace(_BASE, **base)


def table(figures: Sequence[Figure]) -> str:
    """A line for each question and what grows: the smallest and the largest figure, and the exponent."""
    lines: dict[tuple[str, str], list[Figure]] = {}
    for figure in figures:
        lines.setdefault((figure.benchmark, figure.unit), []).append(figure)
    rows = []
    for (name, unit), line in lines.items():
        question, _, what = name.partition(", ")
        first, last = line[0], line[-1]
        slope = exponent([(figure.nodes, figure.value) for figure in line])
        sizes = [f"{figure.nodes:,}: {number(figure.value)}" for figure in (first, last)]
        rows.append([question, what, unit, *sizes, f"{slope:.2f}"])
    return markdown(["question", "grows", "unit", "smallest", "largest", "exponent"], rows)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure or show."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.growth", description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="of all sizes, for a quick look")
    parser.add_argument("-o", "--output", type=Path, help="write the figures as JSON")
    parser.add_argument("--show", type=Path, help="measure nothing, show the figures of this run")
    parser.add_argument("--plots", type=Path, help="folder for pictures (SVG)")
    asked = parser.parse_args(arguments)
    figures: list[Figure] = [] if asked.show is None else load(asked.show)
    if asked.show is None:
        with tempfile.TemporaryDirectory(prefix="kschedctl-growth-") as folder:
            for figure in measured(Path(folder), asked.share):
                figures.append(figure)
                print(
                    json.dumps([figure.benchmark, figure.nodes, figure.value, figure.unit]), file=sys.stderr
                )
    print(table(figures))
    if asked.output:
        save(asked.output, figures)
    if asked.plots:
        asked.plots.mkdir(parents=True, exist_ok=True)
        for unit, title in (("s", "Seconds of the processor"), ("MB", "Peak memory")):
            text = growth_plot(figures, unit, f"{title}, by what grows", of="")
            (asked.plots / f"scale-{unit}.svg").write_text(text)


if __name__ == "__main__":
    main()
