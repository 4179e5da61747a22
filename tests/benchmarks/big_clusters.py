"""Made-up clusters as they are met: apps of all sizes with their controllers and budgets, nodes of three sizes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from . import clusters
from .clusters import CREATED, HOST, ZONE, ZONES, Data

_CPUS: Final = (250, 500, 1000, 2000)
"""What a pod may ask for, in thousandths of a processor."""
_SIZES: Final = (1, 2, 3)
"""How large nodes are beside each other."""
_MEMORY_PER_CPU: Final = 4
_PRIORITIES: Final = (0, 0, 0, 100, 1000)
_MOST_PODS: Final = 110


@dataclass(frozen=True)
class BigCluster:
    """A cluster of so many nodes and pods; the same values give the same objects.

    Attributes:
        nodes: number of nodes.
        pods: number of running pods.
        apps: number of Deployments, each with a ReplicaSet; few are large and many are small.
        budgets: for so many of them there is a PodDisruptionBudget.
        fill: how much of the processors is requested.
        with_status: whether budgets have the status that their controller writes.
        padded: whether pods carry what an API server adds and no scheduler reads.
        seed: for what is drawn.
    """

    nodes: int
    pods: int
    apps: int
    budgets: int
    fill: float = 0.6
    with_status: bool = False
    padded: bool = False
    seed: int = 1

    def objects(self) -> Iterator[Data]:
        """All of it: nodes, controllers, budgets and pods."""
        chance = random.Random(self.seed)
        apps = [
            _App(i, replicas, self.nodes // 3, chance) for i, replicas in enumerate(self._replicas(chance))
        ]
        names = [f"node-{i:05d}" for i in range(self.nodes)]
        free = self._free(apps)
        for i, name in enumerate(names):
            yield _node(name, i, free[i])
        for app in apps:
            yield app.deployment()
            yield app.replica_set()
        for app in apps[: self.budgets]:
            yield app.budget(with_status=self.with_status)
        room, counts = list(free), [0] * self.nodes
        for app in apps:
            met: set[int] = set()
            for replica in range(app.replicas):
                row = self._row(app, replica, room, counts, met, chance)
                room[row] -= app.cpu
                counts[row] += 1
                met.add(row)
                data = app.pod(replica, names[row])
                if self.padded:
                    clusters.pad(data)
                yield data

    def _replicas(self, chance: random.Random) -> list[int]:
        """How many pods each app has: every one has one, the rest goes by a Pareto law."""
        weights = [chance.paretovariate(1.2) for _ in range(self.apps)]
        total, left = sum(weights), self.pods - self.apps
        replicas = [1 + int(left * weight / total) for weight in weights]
        replicas[0] += self.pods - sum(replicas)
        return replicas

    def _free(self, apps: list[_App]) -> list[int]:
        """Thousandths of a processor on each node."""
        wanted = sum(app.cpu * app.replicas for app in apps) / self.fill
        unit = wanted / sum(_SIZES[i % len(_SIZES)] for i in range(self.nodes))
        return [int(unit * _SIZES[i % len(_SIZES)]) for i in range(self.nodes)]

    def _row(
        self,
        app: _App,
        replica: int,
        room: list[int],
        counts: list[int],
        met: set[int],
        chance: random.Random,
    ) -> int:
        """A node with room, in turn over the zones where the app spreads."""
        for _ in range(50):
            row = chance.randrange(self.nodes)
            if app.shape == "spread":
                row = min(row - row % ZONES + replica % ZONES, self.nodes - 1)
            if room[row] >= app.cpu and counts[row] < _MOST_PODS and (app.shape != "anti" or row not in met):
                return row
        allowed = (r for r in range(self.nodes) if app.shape != "anti" or r not in met)
        return max(allowed, key=lambda r: room[r])


class _App:
    """A Deployment with what belongs to it; at most `apart` pods of one are kept off each other's nodes."""

    def __init__(self, index: int, replicas: int, apart: int, chance: random.Random) -> None:
        self.name, self.namespace, self.replicas = f"app-{index}", f"team-{index % 40}", replicas
        self.cpu = chance.choice(_CPUS)
        self.priority = chance.choice(_PRIORITIES)
        shape = chance.choices(("plain", "spread", "spread-soft", "anti", "preferred"), (60, 15, 10, 8, 7))[0]
        self.shape = "plain" if shape == "anti" and replicas > min(50, apart) else shape
        self._number = index

    @property
    def _labels(self) -> Data:
        return {"app": self.name, "pod-template-hash": "5d4f8c7b9"}

    def _template(self) -> Data:
        memory = f"{self.cpu * _MEMORY_PER_CPU // 2}Mi"
        data = clusters.pod(self.name, self.name, cpu=f"{self.cpu}m", memory=memory)
        spec = data["spec"] | {"priority": self.priority} | clusters.SHAPES[self.shape](self.name)
        return {"metadata": {"labels": self._labels}, "spec": spec}

    def _made(self, version: str, kind: str, name: str, spec: Data, **metadata: object) -> Data:
        own = {"name": name, "namespace": self.namespace, "uid": f"{kind.lower()}-{self._number}"}
        metadata = own | {"creationTimestamp": CREATED} | metadata
        return {"apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec}

    def _owner(self, kind: str, name: str) -> list[Data]:
        uid = f"{kind.lower()}-{self._number}"
        return [{"apiVersion": "apps/v1", "kind": kind, "name": name, "uid": uid, "controller": True}]

    def _spec(self) -> Data:
        return {
            "replicas": self.replicas,
            "selector": {"matchLabels": {"app": self.name}},
            "template": self._template(),
        }

    def deployment(self) -> Data:
        """The Deployment."""
        return self._made("apps/v1", "Deployment", self.name, self._spec())

    def replica_set(self) -> Data:
        """Its ReplicaSet, of which the pods are."""
        spec = self._spec()
        spec["selector"] = {"matchLabels": self._labels}
        name = f"{self.name}-5d4f8c7b9"
        return self._made(
            "apps/v1", "ReplicaSet", name, spec, ownerReferences=self._owner("Deployment", self.name)
        )

    def budget(self, *, with_status: bool) -> Data:
        """Its budget: one in three as a number of pods, the others as a share."""
        rule: Data = {"maxUnavailable": 1} if self._number % 3 == 0 else {"maxUnavailable": "20%"}
        spec = {"selector": {"matchLabels": {"app": self.name}}} | rule
        data = self._made("policy/v1", "PodDisruptionBudget", self.name, spec)
        if with_status:
            allowed = 1 if self._number % 3 == 0 else -(-self.replicas // 5)
            data["status"] = {
                "disruptionsAllowed": allowed,
                "currentHealthy": self.replicas,
                "desiredHealthy": self.replicas - allowed,
                "expectedPods": self.replicas,
            }
        return data

    def pod(self, replica: int, node: str) -> Data:
        """A pod that runs."""
        template = self._template()
        name = f"{self.name}-5d4f8c7b9-{replica:05d}"
        data = self._made("v1", "Pod", name, template["spec"] | {"nodeName": node})
        data["metadata"] |= {
            "uid": f"pod-{self._number}-{replica}",
            "labels": self._labels,
            "ownerReferences": self._owner("ReplicaSet", f"{self.name}-5d4f8c7b9"),
        }
        data["status"] = {
            "phase": "Running",
            "startTime": f"2026-01-02T{replica % 24:02d}:{self._number % 60:02d}:00Z",
            "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": CREATED}],
        }
        return data


def _node(name: str, index: int, cpu: int) -> Data:
    room = {
        "cpu": f"{cpu}m",
        "memory": f"{cpu * _MEMORY_PER_CPU}Mi",
        "pods": str(_MOST_PODS),
        "ephemeral-storage": "200Gi",
    }
    labels = {HOST: name, ZONE: f"zone-{index % ZONES}", "kubernetes.io/os": "linux"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels, "creationTimestamp": CREATED},
        "spec": {},
        "status": {"capacity": room, "allocatable": room},
    }
