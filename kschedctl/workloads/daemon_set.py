"""DaemonSet: a pod on every eligible node (spec 02 E.2)."""

from __future__ import annotations

from collections.abc import Container, Iterable

from msgspec.structs import replace

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.objects.apps import DaemonSet
from kschedctl.objects.constraints import Affinity, NodeAffinity, Toleration
from kschedctl.objects.meta import NodeSelector, NodeSelectorRequirement, NodeSelectorTerm
from kschedctl.objects.node import Node
from kschedctl.objects.pod import Pod, PodSpec
from kschedctl.objects.selectors import lenient_node_terms
from kschedctl.objects.tolerations import is_tolerated
from kschedctl.workloads.names import generated_names, template_hash
from kschedctl.workloads.template import pod_from
from kschedctl.workloads.workload import Expansion

GENERATION_ANNOTATION = "deprecated.daemonset.template.generation"
GENERATION_LABEL = "pod-template-generation"
REVISION_LABEL = "controller-revision-hash"
_NODE_NAME = "metadata.name"
_TOLERATED = (
    ("not-ready", "NoExecute"),
    ("unreachable", "NoExecute"),
    ("disk-pressure", "NoSchedule"),
    ("memory-pressure", "NoSchedule"),
    ("pid-pressure", "NoSchedule"),
    ("unschedulable", "NoSchedule"),
)
_TOLERATED_ON_HOST_NETWORK = (("network-unavailable", "NoSchedule"),)


def expand_daemon_set(
    owner: DaemonSet, nodes: Iterable[Node], taken: Container[str] = frozenset()
) -> Expansion:
    """A pod for every eligible node, in the order of the nodes."""
    template = owner.spec.template
    spec = daemon_spec(owner)
    labels = {REVISION_LABEL: template_hash(template)}
    generation = owner.metadata.annotations.get(GENERATION_ANNOTATION, "")
    if generation.isdecimal():
        labels[GENERATION_LABEL] = generation
    eligible = [node for node in nodes if is_eligible(spec, node)]
    names = generated_names(f"{owner.name}-", taken)
    pods = (
        pod_from(template, owner, name, labels=labels, spec=pinned(spec, node.name))
        for node, name in zip(eligible, names, strict=False)
    )
    return Expansion(tuple(pods))


def is_eligible(spec: PodSpec, node: Node) -> bool:
    """Whether a daemon with this spec, its tolerations complete, belongs on a node."""
    return _is_meant_for(spec, node) and _tolerates(spec, node, "NoSchedule", "NoExecute")


def may_stay(spec: PodSpec, node: Node) -> bool:
    """Whether a daemon that runs on a node may go on: a taint with effect NoSchedule alone does not end it."""
    return _is_meant_for(spec, node) and _tolerates(spec, node, "NoExecute")


def _is_meant_for(spec: PodSpec, node: Node) -> bool:
    if spec.node_name and spec.node_name != node.name:
        return False
    labels = node.metadata.labels
    if any(labels.get(key) != value for key, value in (spec.node_selector or {}).items()):
        return False
    required = spec.affinity.node_affinity.required if spec.affinity and spec.affinity.node_affinity else None
    return required is None or any(t.matches(labels, node.name) for t in lenient_node_terms(required))


def _tolerates(spec: PodSpec, node: Node, *effects: str) -> bool:
    hard = (taint for taint in node.spec.taints if taint.effect in effects)
    return all(is_tolerated(spec.tolerations, taint) for taint in hard)


def daemon_spec(owner: DaemonSet) -> PodSpec:
    """The spec of the daemons of a set before they are pinned to their nodes."""
    spec = owner.spec.template.spec
    return replace(spec, tolerations=with_daemon_tolerations(spec))


def with_daemon_tolerations(spec: PodSpec) -> tuple[Toleration, ...]:
    """The tolerations of a template and those that every daemon gets."""
    tolerations = list(spec.tolerations)
    wanted = _TOLERATED + (_TOLERATED_ON_HOST_NETWORK if spec.host_network else ())
    for condition, effect in wanted:
        own = Toleration(key=f"node.kubernetes.io/{condition}", operator="Exists", effect=effect)
        same = [i for i, t in enumerate(tolerations) if replace(t, toleration_seconds=None) == own]
        if same:
            tolerations[same[0]] = own
        else:
            tolerations.append(own)
    return tuple(tolerations)


def pinned(spec: PodSpec, node: str) -> PodSpec:
    """The spec for one node: a term for its name takes the place of every required term of node affinity."""
    field = NodeSelectorRequirement(key=_NODE_NAME, operator="In", values=(node,))
    selector = NodeSelector(node_selector_terms=(NodeSelectorTerm(match_fields=(field,)),))
    affinity = spec.affinity or Affinity()
    node_affinity = replace(
        affinity.node_affinity or NodeAffinity(), required_during_scheduling_ignored_during_execution=selector
    )
    return replace(spec, affinity=replace(affinity, node_affinity=node_affinity))


def pinned_node(pod: Pod | AdmittedPod) -> str:
    """The node that a daemon's pod was made for, empty where it names none."""
    affinity = pod.spec.affinity
    required = affinity.node_affinity.required if affinity and affinity.node_affinity else None
    terms = required.node_selector_terms if required else ()
    fields = [f for t in terms for f in t.match_fields if f.key == _NODE_NAME and f.operator == "In"]
    return fields[0].values[0] if len(fields) == 1 and fields[0].values else pod.spec.node_name
