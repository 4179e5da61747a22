"""Questions about large clusters, each with what it may take: `python -m tests.benchmarks.scale`.

Seconds are those of the processor, reading and reporting included; memory is the peak of the process.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Final

from . import clusters
from .big_clusters import BigCluster
from .processes import Run, kschedctl, median_run
from .table import markdown, number

_ZONE: Final = f"{clusters.ZONE}=zone-0"
_GATE: Final = {
    "apiVersion": "kschedctl.dev/v1alpha1",
    "kind": "Scenario",
    "metadata": {"name": "any node may fail"},
    "expectations": {"survives": {"nodes": 1}},
}


@dataclass(frozen=True)
class ScaleInputs:
    """Files with clusters of three sizes, made when they are asked for.

    Attributes:
        folder: where.
        share: of nodes, pods and budgets: less than 1 for a quick look.
    """

    folder: Path
    share: float = 1.0

    @cached_property
    def roomy(self) -> str:
        """5,000 nodes, 120,000 pods and 1,400 budgets without a status; two fifths of the processors are free."""
        return self._cluster("roomy", BigCluster(5_000, 120_000, 2_000, 1_400))

    @cached_property
    def full(self) -> str:
        """The same with next to no room."""
        return self._cluster("full", BigCluster(5_000, 120_000, 2_000, 1_400, fill=0.95))

    @cached_property
    def small(self) -> str:
        """300 nodes, 6,000 pods and 260 budgets with next to no room."""
        return self._cluster("small", BigCluster(300, 6_000, 350, 260, fill=0.95))

    @cached_property
    def huge(self) -> str:
        """15,000 full nodes with 300,000 pods, as kubectl prints them."""
        return self._cluster("huge", BigCluster(15_000, 300_000, 5_000, 3_500, fill=0.95, padded=True))

    @cached_property
    def empty(self) -> str:
        """5,000 nodes."""
        return self._list("empty", clusters.nodes(self._of(5_000)))

    @cached_property
    def many(self) -> str:
        """100,000 pods of 50 apps."""
        return self._list("many", clusters.candidates("plain", self._of(100_000)))

    @cached_property
    def pod(self) -> str:
        """A pod that fits where there is room."""
        return self._file("pod", clusters.pod("asked", "asked", cpu="2", memory="4Gi"))

    @cached_property
    def preemptor(self) -> str:
        """A pod that fits on no full node, and whose priority makes room."""
        data = clusters.preemptor()
        data["spec"]["containers"][0]["resources"]["requests"]["cpu"] = "16"
        data["spec"]["priority"] = 5_000
        return self._file("preemptor", data)

    @cached_property
    def gate(self) -> str:
        """A scenario in which any node may fail."""
        return self._file("gate", _GATE)

    def _of(self, count: int) -> int:
        return max(int(count * self.share), 9)

    def _cluster(self, name: str, cluster: BigCluster) -> str:
        sizes = {key: self._of(getattr(cluster, key)) for key in ("nodes", "pods", "apps", "budgets")}
        return self._list(name, replace(cluster, **sizes).objects())

    def _list(self, name: str, items: Iterator[clusters.Data]) -> str:
        path = self.folder / f"{name}.json"
        clusters.write_list(path, items)
        return str(path)

    def _file(self, name: str, data: clusters.Data) -> str:
        path = self.folder / f"{name}.json"
        path.write_text(json.dumps(data))
        return str(path)


@dataclass(frozen=True)
class Case:
    """A question, and what it may take: seconds of the processor, and megabytes where that matters."""

    name: str
    arguments: Callable[[ScaleInputs], Sequence[str]]
    seconds: float
    megabytes: float | None = None


CASES: Final = (
    Case("drain of a node", lambda i: ("drain", "node-00007", "-c", i.roomy), 8),
    Case("simulate --drain of a zone", lambda i: ("simulate", "--drain", _ZONE, "-c", i.roomy), 40),
    Case("simulate --drain of a zone, full", lambda i: ("simulate", "--drain", _ZONE, "-c", i.full), 40),
    Case(
        "simulate --drain of a zone, full, --no-preemption",
        lambda i: ("simulate", "--drain", _ZONE, "-c", i.full, "--no-preemption"),
        40,
    ),
    Case("--fail-domain of a zone", lambda i: ("simulate", "--fail-domain", _ZONE, "-c", i.roomy), 15, 800),
    Case("preempt", lambda i: ("preempt", i.preemptor, "-c", i.full), 5),
    Case("capacity --target 200", lambda i: ("capacity", i.pod, "--target", "200", "-c", i.roomy), 4),
    Case("gate, survives any node", lambda i: ("gate", i.gate, "-c", i.roomy), 60),
    Case("drain of a zone of 300 nodes", lambda i: ("drain", _ZONE, "-c", i.small), 8),
    Case("100,000 pods onto 5,000 nodes", lambda i: ("simulate", "-c", i.empty, "-f", i.many), 15),
    Case("300,000 pods: explain", lambda i: ("explain", i.pod, "-c", i.huge), 15, 1_500),
    Case("300,000 pods: preempt", lambda i: ("preempt", i.preemptor, "-c", i.huge), 15, 1_500),
)
"""Those about 15,000 nodes with 300,000 pods may take 30 seconds together."""


def measured(inputs: ScaleInputs, cases: Sequence[Case], repeat: int) -> Iterator[tuple[Case, Run]]:
    """Each case with the median of its runs."""
    for case in cases:
        arguments = [*case.arguments(inputs), "-q"]
        yield case, median_run([kschedctl(*arguments) for _ in range(repeat)])


def table(found: Sequence[tuple[Case, Run]]) -> str:
    """What each case took beside what it may take."""
    rows = []
    for case, run in found:
        aim = "" if case.megabytes is None else number(case.megabytes)
        rows.append([case.name, number(run.processor), number(case.seconds), number(run.megabytes), aim])
    return markdown(["question", "s", "aim", "MB", "aim"], rows)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the chosen cases."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.scale", description=__doc__)
    parser.add_argument("--only", nargs="+", metavar="TEXT", help="cases whose name has one of these in it")
    parser.add_argument(
        "--share", type=float, default=1.0, help="of nodes, pods and budgets, for a quick look"
    )
    parser.add_argument("--repeat", type=int, default=1, help="runs of which the median is taken")
    asked = parser.parse_args(arguments)
    chosen = [case for case in CASES if not asked.only or any(text in case.name for text in asked.only)]
    found = []
    with tempfile.TemporaryDirectory(prefix="kschedctl-scale-") as folder:
        for case, run in measured(ScaleInputs(Path(folder), asked.share), chosen, asked.repeat):
            found.append((case, run))
            print(f"{case.name}: {number(run.processor)} s, {number(run.megabytes)} MB", file=sys.stderr)
    print(table(found))


if __name__ == "__main__":
    main()
