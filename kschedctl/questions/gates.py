"""Feature gates that decide: the question asked again with those set otherwise that touch what the pod asks for.

Nearly all pods touch none. A gate is open where somebody may have it otherwise: it is not locked, and off here or in
some version by default.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from kschedctl.admission.invalid import Invalid
from kschedctl.cluster.pods import PodRecord
from kschedctl.errors import KschedError
from kschedctl.framework.versions import FeatureGates
from kschedctl.framework.versions.known import SUPPORTED
from kschedctl.objects.phrases import either, names_text
from kschedctl.objects.pod import Pod
from kschedctl.objects.pod_requests import pod_requests
from kschedctl.objects.resource import DeviceClass
from kschedctl.questions.ask import PodQuestion
from kschedctl.questions.cluster import Cluster
from kschedctl.scheduling.decision import Decision, Outcome
from kschedctl.whatif.judgement.explain import judging

_MOST_WORK: Final = 20_000
"""Gates times objects, beyond which nothing is tried."""
_NAMED: Final = 3


class _Answer(Struct, frozen=True):
    """How a decision ends: the nodes are those with the most points."""

    outcome: Outcome
    nodes: tuple[str, ...] = ()

    @classmethod
    def of(cls, found: Decision | Invalid) -> _Answer:
        if isinstance(found, Invalid):
            return cls(Outcome.INVALID)
        nodes = tuple(found.names[row] for row in found.ties)
        if not nodes and found.selected_node is not None:
            nodes = (found.selected_node,)
        return cls(found.outcome, nodes)

    def __str__(self) -> str:
        match self.outcome:
            case Outcome.SCHEDULED if len(self.nodes) > _NAMED:
                return f"goes to one of {len(self.nodes)} nodes"
            case Outcome.SCHEDULED:
                return f"goes to {either(self.nodes)}"
            case Outcome.INVALID:
                return "is refused by the API server"
            case Outcome.UNSCHEDULABLE:
                return "fits on no node"
            case _:
                return "is not scheduled"


def deciding_gates(question: PodQuestion, found: Decision | Invalid) -> list[str]:
    """A sentence for each gate with which the answer is another one, or one that says that none was tried.

    Args:
        question: about a pod.
        found: its answer; to be read while the cluster is as it was decided in.
    """
    gates = list(_open_gates(question))
    if len(gates) * len(question.cluster.objects) > _MOST_WORK:
        return [_not_tried(gates)]
    here = _Answer.of(found)
    return [text for gate in gates if (text := _told(question, gate, here)) is not None]


def _not_tried(gates: Sequence[str]) -> str:
    word, them = ("gate", "it") if len(gates) == 1 else ("gates", "one of them")
    return (
        f"feature {word} {names_text(gates)} may decide, which was not tried: the cluster is too large to be asked "
        f"again with {them} set otherwise (--feature-gates)"
    )


def _open_gates(question: PodQuestion) -> Iterator[str]:
    gates = question.cluster.scheduler.gates
    pod = question.pod if isinstance(question.pod, Pod) else question.pod.pod.source
    if pod is None:
        return
    for name, gate in gates.version.gates.items():
        touches = _TOUCHES.get(name) or (_asks_for_devices if name.startswith("DRA") else None)
        if gate.locked or touches is None:
            continue
        off_somewhere = any(not v.gates[name].default for v in SUPPORTED if name in v.gates)
        # Whoever asks for devices has what devices take; what he may lack is new.
        if (not gates[name] or (off_somewhere and name in _TOUCHES)) and touches(pod, question.cluster):
            yield name


def _told(question: PodQuestion, gate: str, here: _Answer) -> str | None:
    """What the answer is with a gate set otherwise; None where it is the same, or the gate cannot be set so."""
    cluster = question.cluster
    gates = cluster.scheduler.gates
    on = not gates[gate]
    changed = _with_needs(gate, gates) if on else _with_dependents(gate, gates)
    try:
        other = cluster.with_gates(changed)
        pod: Pod | PodRecord | None = question.pod
        if other is None:
            return None
        if isinstance(pod, PodRecord):
            pod = other.session.find(pod.namespace, pod.name)
        if pod is None:
            return None
        with judging(other.session, pod, question.others) as found:
            there = _Answer.of(found)
    except KschedError:
        return None
    if there == here:
        return None
    default = " by default" if gates.version.gates[gate].default == gates[gate] else ""
    switch = ",".join(f"{name}={str(value).lower()}" for name, value in changed.items())
    return (
        f"feature gate {gate} decides: it is {'off' if on else 'on'}{default} in {gates.version}; with it "
        f"{'on' if on else 'off'} the pod {there} (--feature-gates {switch})"
    )


def _with_needs(gate: str, gates: FeatureGates) -> dict[str, bool]:
    """A gate that is to be on, with those that it needs and that are off."""
    found = {gate: True}
    for name in gates.version.gates[gate].needs:
        if not gates.get(name, True):
            found |= _with_needs(name, gates)
    return found


def _with_dependents(gate: str, gates: FeatureGates) -> dict[str, bool]:
    """A gate that is to be off, with those that are on and need it."""
    found = {gate: False}
    for name, other in gates.version.gates.items():
        if gate in other.needs and gates[name]:
            found |= _with_dependents(name, gates)
    return found


_Touches = Callable[[Pod, Cluster], bool]


def _has_volumes(pod: Pod, cluster: Cluster) -> bool:
    return any(volume.persistent_volume_claim or volume.ephemeral for volume in pod.spec.volumes)


def _asks_for_devices(pod: Pod, cluster: Cluster) -> bool:
    return bool(pod.spec.resource_claims)


def _asks_for_backed_resources(pod: Pod, cluster: Cluster) -> bool:
    """Extended resources for which a device class stands."""
    classes = [obj for obj in cluster.objects if isinstance(obj, DeviceClass)]
    if not classes:
        return False
    backed = {
        c.spec.extended_resource_name or f"deviceclass.resource.kubernetes.io/{c.name}" for c in classes
    }
    return not backed.isdisjoint(pod_requests(pod.spec))


_TOUCHES: Final[Mapping[str, _Touches]] = MappingProxyType(
    {
        "TaintTolerationComparisonOperators": lambda pod, cluster: any(
            toleration.operator in ("Gt", "Lt") for toleration in pod.spec.tolerations
        ),
        "MatchLabelKeysInPodTopologySpread": lambda pod, cluster: any(
            constraint.match_label_keys for constraint in pod.spec.topology_spread_constraints
        ),
        "PodLevelResources": lambda pod, cluster: pod.spec.resources is not None,
        "PodLevelResourcesFixDefaulting": lambda pod, cluster: pod.spec.resources is not None,
        "StorageCapacityScoring": _has_volumes,
        "VolumeLimitScaling": _has_volumes,
        "DRAExtendedResource": _asks_for_backed_resources,
    }
)
"""Gate -> whether a pod asks for something to which it makes a difference; of devices see `_asks_for_devices`."""
