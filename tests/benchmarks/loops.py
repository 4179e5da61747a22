"""Pods one by one, beside kube-scheduler: `python -m tests.benchmarks.loops --upstream PROGRAM --openb FOLDER`.

All nodes are scored. Figures are pods per second of the processor, of all cores together: of the loop alone, and of
the whole command with reading and reporting. PROGRAM, where one is given, runs kube-scheduler's own loop (snapshot,
filter, score, assume, reserve) with its default sampling of nodes, and is called with `-time -cluster FILE -podsfile
FILE -percent 0`, and with `-n 1` for one pod alone, which is what it takes beside the loop. FOLDER has the trace of
`openb`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final

from . import clusters, openb
from .clusters import Data
from .processes import engine, execute, kschedctl
from .table import markdown, number

_NODES: Final = 5_000
_PODS: Final = 5_000
_MIXED: Final = (*["plain"] * 7, "spread", "anti", "preferred")


@dataclass(frozen=True)
class Work:
    """Nodes, and the pods that come to them."""

    name: str
    nodes: list[Data]
    pods: list[Data]


@dataclass(frozen=True)
class Figures:
    """Seconds of the processor.

    Attributes:
        work: what was done.
        loop: by our loop.
        process: by the whole command.
        upstream: by the loop of kube-scheduler; None where there is no program that runs it.
    """

    work: Work
    loop: float
    process: float
    upstream: float | None

    def row(self) -> list[str]:
        """Pods a second, and how many times as many as kube-scheduler's loop has."""
        pods = len(self.work.pods)
        cells = [self.work.name, f"{len(self.work.nodes):,}", f"{pods:,}"]
        cells += [number(pods / seconds) for seconds in (self.loop, self.process)]
        if self.upstream is None:
            return [*cells, "", "", ""]
        ratios = [number(self.upstream / seconds) for seconds in (self.loop, self.process)]
        return [*cells, number(pods / self.upstream), *ratios]


def works(share: float, trace: Path | None) -> Iterator[Work]:
    """What is measured; less of it with a share of less than 1."""
    nodes = list(clusters.nodes(max(int(_NODES * share), 9)))
    count = max(int(_PODS * share), 9)
    for shape in ("plain", "spread", "anti", "preferred"):
        yield Work(shape, nodes, list(clusters.candidates(shape, count)))
    yield Work("200 classes", nodes, list(clusters.many_classes(count, ["plain"])))
    yield Work("200 classes, shapes mixed", nodes, list(clusters.many_classes(count, _MIXED)))
    if trace is not None:
        yield Work("openb", *openb.objects(trace, None if share == 1 else int(8_152 * share)))


def measured(work: Work, folder: Path, upstream: str | None, repeat: int) -> Figures:
    """Medians, each side in turn."""
    cluster, pods = (
        _list(folder / f"{name}.json", items)
        for name, items in (("cluster", work.nodes), ("pods", work.pods))
    )
    loops, processes, theirs = [], [], []
    for _ in range(repeat):
        loops.append(engine("schedule", cluster, pods)["seconds"])
        processes.append(kschedctl("simulate", "-c", cluster, "-f", pods, "-q").processor)
        if upstream is not None:
            command = (upstream, "-time", "-cluster", cluster, "-podsfile", pods, "-percent", "0")
            theirs.append(execute(*command).processor - execute(*command, "-n", "1").processor)
    return Figures(work, median(loops), median(processes), median(theirs) if theirs else None)


def _list(path: Path, items: Iterable[Data]) -> str:
    clusters.write_list(path, iter(items))
    return str(path)


def table(found: Sequence[Figures]) -> str:
    """A line for each work."""
    titles = ["work", "nodes", "pods", "loop", "process", "kube-scheduler", "times, loop", "times, process"]
    return markdown(titles, [figures.row() for figures in found])


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the chosen works."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.loops", description=__doc__)
    parser.add_argument("--only", nargs="+", metavar="TEXT", help="works whose name has one of these in it")
    parser.add_argument("--openb", type=Path, metavar="FOLDER", help="where nodes.csv.gz and pods.csv.gz are")
    parser.add_argument("--upstream", metavar="PROGRAM", help="runs kube-scheduler's loop, see above")
    parser.add_argument("--share", type=float, default=1.0, help="of nodes and pods, for a quick look")
    parser.add_argument("--repeat", type=int, default=3, help="runs of which the median is taken")
    asked = parser.parse_args(arguments)
    found = []
    with tempfile.TemporaryDirectory(prefix="kschedctl-loops-") as folder:
        for work in works(asked.share, asked.openb):
            if asked.only and not any(text in work.name for text in asked.only):
                continue
            found.append(measured(work, Path(folder), asked.upstream, asked.repeat))
            print(" ".join(found[-1].row()), file=sys.stderr)
    print(table(found))


if __name__ == "__main__":
    main()
