"""Input files of a size, made once per run in a folder."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path

from . import clusters
from .processes import ROOT, engine

_SIMULATED = {"plain": 10_000, "spread": 2_000, "anti": 2_000, "preferred": 2_000}
"""How many candidates of each shape."""


@dataclass(frozen=True)
class Inputs:
    """Clusters of N nodes with some running pods on each.

    Attributes:
        folder: where the files are made.
        nodes: number of nodes.
        per_node: running pods on each node.
        share: how much of the usual number of candidates there is: less than 1 for a quick look.
    """

    folder: Path
    nodes: int
    per_node: int
    share: float = 1.0

    def candidates(self, shape: str) -> int:
        """How many candidates of a shape are simulated."""
        return max(int(_SIMULATED[shape] * self.share), 10)

    @cached_property
    def pod(self) -> Path:
        """One candidate."""
        path = self._path("pod.json")
        path.write_text(json.dumps(clusters.pod("asked", "app-0", namespace="ns-0")))
        return path

    @cached_property
    def preemptor(self) -> Path:
        """A candidate for which room has to be made."""
        path = self._path("vip.json")
        path.write_text(json.dumps(clusters.preemptor()))
        return path

    @cached_property
    def listed(self) -> Path:
        """The cluster as `kubectl get -o json` prints it, with everything that no scheduler reads."""
        path = self._path("cluster.json")
        items = chain(clusters.nodes(self.nodes), clusters.running(self.nodes, self.per_node, padded=True))
        clusters.write_list(path, items)
        return path

    @cached_property
    def yaml(self) -> Path:
        """The cluster as YAML."""
        path = self._path("cluster.yaml")
        clusters.write_yaml(path, [*clusters.nodes(self.nodes), *clusters.running(self.nodes, self.per_node)])
        return path

    @cached_property
    def snapshot(self) -> Path:
        """The cluster as a snapshot."""
        path = self._path("snapshot.json.gz")
        engine("snapshot", str(self.nodes), str(self.per_node), str(path))
        return path

    @cached_property
    def full(self) -> Path:
        """A cluster whose nodes have no room for the preemptor."""
        path = self._path("full.json")
        nodes = clusters.nodes(self.nodes, cpu=16, memory="64Gi")
        clusters.write_list(path, chain(nodes, clusters.running(self.nodes, 20)))
        return path

    @cached_property
    def empty(self) -> Path:
        """The nodes alone."""
        path = self._path("empty.json")
        clusters.write_list(path, clusters.nodes(self.nodes))
        return path

    def pods(self, shape: str) -> Path:
        """The candidates of a shape."""
        path = self._path(f"{shape}.json")
        clusters.write_list(path, clusters.candidates(shape, self.candidates(shape)))
        return path

    def _path(self, name: str) -> Path:
        return self.folder / f"{self.nodes}-{name}"


QUICKSTART = ROOT / "fixtures" / "quickstart"
