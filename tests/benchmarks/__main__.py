"""Measure: `python -m tests.benchmarks -o now.json --against earlier.json --plots growth`."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from .cases import GROUPS, start_up
from .inputs import Inputs
from .plot import growth_plot
from .results import Figure, load, save
from .table import comparison_table, figure_table, number

SIZES = {"small": 100, "medium": 1_000, "large": 5_000}
_PLOTS = {
    "s": "Seconds of whole processes",
    "ms": "Milliseconds once loaded",
    "pods/s": "Pods a second",
    "MB": "Memory",
}


def parsed(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument(
        "--sizes", nargs="+", choices=SIZES, default=list(SIZES), help="100, 1,000 or 5,000 nodes"
    )
    parser.add_argument("--nodes", nargs="+", type=int, help="sizes as numbers of nodes, in place of --sizes")
    parser.add_argument("--pods-per-node", type=int, default=30, help="running pods on each node")
    parser.add_argument("--share", type=float, default=1.0, help="share of the candidates, for a quick look")
    parser.add_argument("--only", nargs="+", choices=["start_up", *GROUPS], help="these groups alone")
    parser.add_argument("--repeat", type=int, default=3, help="runs of which the median is taken")
    parser.add_argument("-o", "--output", type=Path, help="write the figures as JSON")
    parser.add_argument("--against", type=Path, help="compare with the figures of an earlier run")
    parser.add_argument("--plots", type=Path, help="folder for plots of the growth (SVG)")
    parser.add_argument("--show", type=Path, help="measure nothing, show the figures of this run")
    return parser.parse_args(arguments)


def measured(asked: argparse.Namespace) -> list[Figure]:
    """Run the chosen groups for the chosen sizes; each figure is told on stderr when it is there."""
    figures: list[Figure] = []
    chosen = asked.only or ["start_up", *GROUPS]
    with tempfile.TemporaryDirectory(prefix="kschedctl-benchmarks-") as folder:
        if "start_up" in chosen:
            _note(figures, start_up(asked.repeat))
        for nodes in asked.nodes or [SIZES[size] for size in asked.sizes]:
            inputs = Inputs(Path(folder), nodes, asked.pods_per_node, asked.share)
            for name, group in GROUPS.items():
                if name in chosen:
                    _note(figures, group(inputs, asked.repeat))
    return figures


def _note(figures: list[Figure], fresh: Iterable[Figure]) -> None:
    for figure in fresh:
        figures.append(figure)
        size = f", {figure.nodes:,} nodes" if figure.nodes else ""
        print(f"{figure.benchmark}{size}: {number(figure.value)} {figure.unit}", file=sys.stderr)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure or show, and compare."""
    asked = parsed(arguments)
    figures = load(asked.show) if asked.show else measured(asked)
    print(figure_table(figures))
    if asked.output:
        save(asked.output, figures)
    if asked.against:
        print("\n" + comparison_table(figures, load(asked.against)))
    if asked.plots:
        asked.plots.mkdir(parents=True, exist_ok=True)
        for unit, title in _PLOTS.items():
            name = unit.replace("/", "-per-")
            (asked.plots / f"growth-{name}.svg").write_text(growth_plot(figures, unit, title))


if __name__ == "__main__":
    main()
