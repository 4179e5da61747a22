"""Clusters and plans in few words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from builders import Data, made, node, pod

from kschedctl.cluster.pods import PodRecord
from kschedctl.framework.configuration import load_configuration
from kschedctl.framework.versions import DEFAULT, feature_gates
from kschedctl.objects.meta import TopLevel
from kschedctl.plugins.registry import IN_TREE
from kschedctl.scheduling.options import SchedulingOptions
from kschedctl.whatif.queue.effects import EffectsModel
from kschedctl.whatif.queue.replay import Replay
from kschedctl.whatif.queue.simulator import Inspect
from kschedctl.whatif.session import Session
from kschedctl.whatif.simulate import Plan, SimulationResult, simulate
from kschedctl.whatif.updates.rolling_update import RollingUpdate
from kschedctl.whatif.world.change_forms import RolloutMode
from kschedctl.whatif.world.changes import Change

CONFIGURATION = load_configuration(None, DEFAULT, feature_gates(DEFAULT), IN_TREE)


def controlled(kind: str, name: str) -> Data:
    """An owner reference of a pod."""
    return {"apiVersion": "apps/v1", "kind": kind, "name": name}


def replica(name: str, on: str = "", owner: str = "web-abc", **more: Any) -> Data:
    """A pod of a replica set."""
    return pod(name, on, owner=controlled("ReplicaSet", owner), **more)


def workload(kind: str, name: str, replicas: int | None = None, *, cpu: str = "1", **spec: Any) -> Data:
    """A workload whose pods ask for cpu."""
    template_spec: Data = {
        "containers": [{"name": "c", "image": "app", "resources": {"requests": {"cpu": cpu}}}]
    }
    template_spec |= spec.pop("pod", {})
    full: Data = {
        "selector": {"matchLabels": {"app": name}},
        "template": {"metadata": {"labels": {"app": name}}, "spec": template_spec},
    }
    if replicas is not None:
        full["replicas"] = replicas
    version = {"Job": "batch/v1", "CronJob": "batch/v1", "ReplicationController": "v1"}.get(kind, "apps/v1")
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name}, "spec": full | spec}


def owned_replica_set(name: str, deployment: Data) -> Data:
    """The replica set of a deployment's template, as a live cluster has it."""
    spec = deployment["spec"]
    label = name.rpartition("-")[2]
    labels = {**spec["template"]["metadata"]["labels"], "pod-template-hash": label}
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {
            "name": name,
            "ownerReferences": [
                {"kind": "Deployment", "name": deployment["metadata"]["name"], "controller": True}
            ],
        },
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {**spec["template"], "metadata": {"labels": labels}},
        },
    }


def objects(*data: Data | Iterable[Data]) -> list[TopLevel]:
    """Typed objects of manifests."""
    return [made(one) for item in data for one in ([item] if isinstance(item, dict) else item)]


def run(
    cluster: Sequence[Data],
    *changes: Change,
    manifests: Sequence[Data] = (),
    rollout: RolloutMode = RolloutMode.RECREATE,
    single_pass: bool = False,
    effects: EffectsModel = EffectsModel.IN_FLIGHT,
    replay: Replay | None = None,
    inspect: Inspect | None = None,
    config: Data | None = None,
    gates: Mapping[str, bool] | None = None,
    **options: Any,
) -> SimulationResult:
    """Simulate a plan."""
    configuration = CONFIGURATION
    if config is not None:
        configuration = load_configuration(config, DEFAULT, feature_gates(DEFAULT, gates or {}), IN_TREE)
    plan = Plan(objects(manifests), rollout, changes, single_pass, effects, replay, tells=True)
    inspector = None if inspect is None else lambda session: inspect
    return simulate(
        Session(objects(cluster), configuration), SchedulingOptions(**options), plan, inspector=inspector
    )


def placements(simulation: SimulationResult) -> Mapping[str, str | None]:
    """Pod -> node, without the default namespace."""
    return {task.name.removeprefix("default/"): task.node for task in simulation.tasks}


def nodes_of(simulation: SimulationResult, workload: str) -> list[str | None]:
    """The nodes of the pods of a workload, sorted."""
    found = [task.node for task in simulation.tasks if str(task.workload) == workload]
    return sorted(found, key=lambda name: name or "")


OTHER: Data = {"pod": {"terminationGracePeriodSeconds": 5}}
"""What makes a template another one."""


def roll(cluster: Sequence[Data], release: Data) -> tuple[RollingUpdate, SimulationResult]:
    """Simulate the rolling update to a manifest."""
    found = run(cluster, manifests=[release], rollout=RolloutMode.ROLLING)
    (update,) = found.rollouts
    return update, found


def _was_on_a_node(record: PodRecord) -> bool:
    return record.pod.source is not None and bool(record.pod.source.spec.node_name)


def left(simulation: SimulationResult) -> list[str]:
    """Old pods that still run."""
    cluster = simulation.session.cluster
    return [r.name for r in cluster.pods.records if _was_on_a_node(r) and cluster.pods.node[r.id] >= 0]


__all__ = [
    "CONFIGURATION",
    "OTHER",
    "controlled",
    "left",
    "made",
    "node",
    "nodes_of",
    "objects",
    "owned_replica_set",
    "placements",
    "pod",
    "replica",
    "roll",
    "run",
    "workload",
]
