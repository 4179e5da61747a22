"""Clusters and pods in few words: only what a case is about, the rest is filled in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from kschedctl.admission.context import AdmissionContext
from kschedctl.admission.gates import AdmissionGates
from kschedctl.admission.invalid import Invalid
from kschedctl.cluster.pods import PodRecord
from kschedctl.extenders.call import Transport
from kschedctl.framework.configuration import load_configuration
from kschedctl.framework.plugin import AnyPlugin
from kschedctl.framework.status import Status
from kschedctl.framework.versions import Version, feature_gates
from kschedctl.framework.versions.v1_36 import VERSION as V1_36
from kschedctl.objects.kinds import BY_GVK
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.pod import Pod
from kschedctl.plugins.outside import enabling
from kschedctl.plugins.registry import IN_TREE
from kschedctl.scheduling.decision import Decision
from kschedctl.scheduling.options import SchedulingOptions, TieBreak
from kschedctl.whatif.session import Session

Data = dict[str, Any]

ZONE = "topology.kubernetes.io/zone"
HOST = "kubernetes.io/hostname"
U, UU = "Unschedulable", "UnschedulableAndUnresolvable"


def node(
    name: str,
    zone: str = "",
    *,
    cpu: str = "4",
    memory: str = "8Gi",
    pods: str = "110",
    labels: Mapping[str, str] | None = None,
    taints: Sequence[str] = (),
    cordoned: bool = False,
    more: Mapping[str, str] | None = None,
    **status: Any,
) -> Data:
    """A node with its hostname label; `more` are further allocatable resources, taints are `key=value:Effect`."""
    own = {HOST: name} | ({ZONE: zone} if zone else {}) | dict(labels or {})
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": own},
        "spec": {"unschedulable": cordoned, "taints": [taint(text) for text in taints]},
        "status": {"allocatable": {"cpu": cpu, "memory": memory, "pods": pods} | dict(more or {})} | status,
    }


def taint(text: str) -> Data:
    """A taint as `key=value:Effect` or `key:Effect`."""
    pair, _, effect = text.rpartition(":")
    key, _, value = pair.partition("=")
    return {"key": key, "value": value, "effect": effect}


def pod(
    name: str,
    on: str = "",
    *,
    labels: Mapping[str, str] | None = None,
    namespace: str = "default",
    cpu: str | None = None,
    memory: str | None = None,
    more: Mapping[str, str] | None = None,
    priority: int | None = None,
    start: str | None = None,
    terminating: bool = False,
    nominated: str = "",
    owner: Data | None = None,
    **spec: Any,
) -> Data:
    """A pod, on a node or not, with one container; other fields of the spec go by their own names."""
    requests = {"cpu": cpu, "memory": memory} | dict(more or {})
    asked = {key: amount for key, amount in requests.items() if amount is not None}
    metadata: Data = {"name": name, "namespace": namespace, "labels": dict(labels or {})}
    if terminating:
        metadata["deletionTimestamp"] = "2024-01-01T00:00:00Z"
    if owner is not None:
        metadata["ownerReferences"] = [{"controller": True, "uid": "u", **owner}]
    status = {"startTime": start, "nominatedNodeName": nominated or None}
    container = {"name": "main", "image": "app", "resources": {"requests": asked, "limits": _limits(asked)}}
    full = {"nodeName": on or None, "priority": priority, "containers": [container]} | spec
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": _present(full),
        "status": _present(status),
    }


def _limits(asked: Mapping[str, str]) -> Data:
    """Extended resources must have a limit that equals the request."""
    return {key: amount for key, amount in asked.items() if "/" in key}


def _present(data: Data) -> Data:
    return {key: value for key, value in data.items() if value is not None}


def made(data: Data) -> TopLevel:
    """The typed object of a manifest."""
    return msgspec.convert(data, BY_GVK[data["apiVersion"], data["kind"]].type)


def admission_gates(**changes: Any) -> AdmissionGates:
    """Those of 1.36, some of them of another value."""
    known = AdmissionGates.of(feature_gates(V1_36).enabled, V1_36.facts.admission)
    return msgspec.structs.replace(known, **changes)


def admission_context(gates: AdmissionGates | None = None, **objects: Any) -> AdmissionContext:
    """What admission reads of a cluster; gates as those of 1.36 unless others are given."""
    return AdmissionContext.of(admission_gates() if gates is None else gates, **objects)


def session(
    *objects: Data | Iterable[Data | TopLevel],
    config: Data | None = None,
    version: Version = V1_36,
    gates: Mapping[str, bool] | None = None,
    transport: Transport | None = None,
    plugins: Sequence[type[AnyPlugin]] = (),
    **options: Any,
) -> Session:
    """A cluster and its scheduler; ties go to the first by name, and plugins from outside are enabled, unless told."""
    flat = [one for item in objects for one in ([item] if isinstance(item, dict) else item)]
    if plugins and config is None:
        config = enabling(plugins)
    registry = IN_TREE.with_plugins(*plugins)
    configuration = load_configuration(config, version, feature_gates(version, gates or {}), registry)
    chosen = SchedulingOptions(**{"tie_break": TieBreak.FIRST, "score_single": True} | options)
    loaded = [one if isinstance(one, TopLevel) else made(one) for one in flat]
    return Session(loaded, configuration, chosen, transport=transport)


def profile(plugin: str | None = None, args: Data | None = None, **parts: Any) -> Data:
    """A configuration with one profile: arguments of one plugin, and other parts of the profile."""
    if plugin is not None:
        parts["pluginConfig"] = [{"name": plugin, "args": args or {}}]
    return {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"schedulerName": "default-scheduler"} | parts],
    }


def enter(asked: Session, data: Data) -> PodRecord:
    """Put a candidate into the cluster, on no node."""
    candidate = made(data)
    assert isinstance(candidate, Pod)
    record = asked.enter(candidate)
    assert not isinstance(record, Invalid), str(record)
    return record


def decide(asked: Session, data: Data) -> Decision:
    """The decision for a candidate alone."""
    return asked.scheduler.decide(enter(asked, data), asked.cluster)


def told(status: Status | None) -> str:
    """A status as `code plugin: reasons`; nothing where a node passes."""
    return "" if status is None else f"{status.code.upstream} {status.plugin}: {status.message}"


def rejections(decision: Decision) -> dict[str, str]:
    """Node -> what kube-scheduler reports of it, by name, nodes that pass left out."""
    names = decision.cluster.nodes.names
    by_row = {name: told(decision.status_of(row)) for row, name in enumerate(names)}
    return {name: by_row[name] for name in sorted(by_row) if by_row[name]}


def codes(decision: Decision) -> dict[str, str]:
    """Node -> U or UU, empty where it passes, by name."""
    found = rejections(decision)
    short = {U: "U", UU: "UU"}
    return {
        name: short[found[name].split(" ", 1)[0]] if name in found else ""
        for name in sorted(decision.cluster.nodes.names)
    }


def feasible(decision: Decision) -> list[str]:
    """Names of the nodes that pass, sorted."""
    assert decision.feasible is not None
    return sorted(decision.names[row] for row in decision.feasible.tolist())


def column(decision: Decision, plugin: str, kind: str = "normalized") -> dict[str, int] | None:
    """Node -> score of a plugin (raw, normalized or weighted), by name; None where it has no column."""
    assert decision.scores is not None
    names = [decision.names[row] for row in decision.scores.feasible.tolist()]
    for found in decision.scores.columns:
        if found.plugin == plugin:
            by_name = dict(zip(names, getattr(found, kind).tolist(), strict=True))
            return {name: by_name[name] for name in sorted(by_name)}
    return None


def victims(decision: Decision) -> dict[str, list[str]]:
    """Node -> names of the pods that would be evicted there, of every candidate for preemption."""
    assert decision.preemption is not None
    names, records = decision.cluster.nodes.names, decision.cluster.pods.records
    return {
        names[row]: [records[v].name for v in c.victims] for row, c in decision.preemption.candidates.items()
    }
