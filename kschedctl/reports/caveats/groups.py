"""Groups of pods in reports: gates that a cluster shows, and groups that an answer leaves aside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.admission.shown_gates import shown_gates
from kschedctl.framework.versions import FeatureGates, GroupCycle
from kschedctl.framework.versions.served import served_problem
from kschedctl.objects.apps import (
    CronJob,
    DaemonSet,
    Deployment,
    Job,
    ReplicaSet,
    ReplicationController,
    StatefulSet,
)
from kschedctl.objects.groups import CompositePodGroup, PodGroup, Workload
from kschedctl.objects.kinds import BY_TYPE
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.phrases import names_text
from kschedctl.objects.pod import Pod, PodSpec
from kschedctl.reports.model import Caveat

_GROUPS: Final = "GenericWorkload"
_GANGS: Final = "GangScheduling"
_LISTED: Final = 3
_UNKNOWN: Final = "pod-groups-unknown"
_DROPPED: Final = "pod-groups-dropped"
_NOT_EVALUATED: Final = "pod-groups-not-evaluated"
JUDGED_ALONE: Final = frozenset({_UNKNOWN, _DROPPED, _NOT_EVALUATED})
"""Codes of the caveats that a pod of a group is judged without it."""


def shown_gates_caveats(shown: Mapping[str, str], gates: FeatureGates) -> Iterator[Caveat]:
    """That feature gates are taken as on since the cluster has what the API server drops without them.

    Args:
        shown: each such gate with what shows it.
        gates: all that the scheduler runs with.
    """
    for name, why in shown.items():
        text = f"feature gate {name} is taken as on: {why}, which the API server drops without it"
        yield Caveat(code="gate-shown", message=text, may_change_answer=False)
    if shown and _GANGS in gates and not gates[_GANGS]:
        text = (
            f"whether feature gate {_GANGS} is on, without which minCount means nothing, cannot be seen; it is taken "
            f"as off (--feature-gates {_GANGS}=true)"
        )
        yield Caveat(code="gate-not-seen", message=text, may_change_answer=True)


def release_groups_caveats(
    released: Sequence[TopLevel], objects: Sequence[TopLevel], gates: FeatureGates
) -> list[Caveat]:
    """What manifests say of groups to no effect: fields whose gate is off, and groups without pods.

    Args:
        released: what the manifests hold.
        objects: those of the cluster.
        gates: those of the scheduler.
    """
    if not gates.enabled(_GROUPS):
        return []
    caveats = []
    for obj in released:
        if not isinstance(obj, PodGroup | CompositePodGroup | Workload):
            continue
        kind = BY_TYPE[type(obj)].kind
        if problem := served_problem(kind, obj.api_version, gates.version):
            text = f"{kind} {obj.full_name} would be refused by Kubernetes {gates.version}: {problem}"
            caveats.append(Caveat(code="api-not-served", message=text, may_change_answer=True))
    for name, why in shown_gates(released).items():
        if name in gates and not gates[name]:
            text = (
                f"{why}, which the API server drops: feature gate {name} is off (--feature-gates {name}=true)"
            )
            caveats.append(Caveat(code="group-field-dropped", message=text, may_change_answer=True))
    groups = {(obj.namespace, obj.name) for obj in released if isinstance(obj, PodGroup)}
    empty = (
        groups - {key for obj in (*released, *objects) for key in groups_named_by(obj)} if groups else groups
    )
    if empty:
        names = names_text(sorted(map("/".join, empty)), _LISTED)
        text = f"pod group {names} has no pods: nothing is scheduled for it"
        caveats.append(Caveat(code="pod-group-empty", message=text, may_change_answer=False))
    return caveats


def groups_named_by(obj: TopLevel) -> Iterator[tuple[str, str]]:
    """The group that a pod, or the pods of a workload, name: namespace and name."""
    match obj:
        case Pod():
            spec: PodSpec | None = obj.spec
        case CronJob():
            spec = obj.spec.job_template.spec.template.spec
        case Deployment() | StatefulSet() | DaemonSet() | ReplicaSet() | ReplicationController() | Job():
            spec = obj.spec.template.spec if obj.spec.template is not None else None
        case _:
            spec = None
    if spec is not None and spec.scheduling_group is not None:
        yield obj.namespace, spec.scheduling_group.pod_group_name


def pod_groups_caveat(pods: Iterable[Pod | AdmittedPod], gates: FeatureGates) -> Caveat | None:
    """That pods belong to groups, which the answer leaves aside: they are judged each alone.

    Args:
        pods: those that an answer is about.
        gates: those of the scheduler.
    """
    grouped = [pod for pod in pods if pod.spec.pod_group]
    if not grouped:
        return None
    groups = sorted({f"{pod.namespace}/{pod.spec.pod_group}" for pod in grouped})
    who = f"pod group {names_text(groups, _LISTED)}"
    if _GROUPS not in gates:
        text = f"{who} means nothing: Kubernetes {gates.version} has no groups of pods"
        return Caveat(code=_UNKNOWN, message=text, may_change_answer=False)
    unknown, known = "schedulingGroup", "workloadRef"
    if gates.version.facts.group_cycle is not GroupCycle.NONE:
        unknown, known = known, unknown
    if all(_field(pod) == unknown for pod in grouped):
        text = f"{who} means nothing: pods of Kubernetes {gates.version} have spec.{known}, no spec.{unknown}"
        return Caveat(code=_UNKNOWN, message=text, may_change_answer=False)
    if not gates[_GROUPS]:
        switch = ",".join(f"{name}=true" for name in (_GROUPS, _GANGS) if name in gates)
        text = (
            f"{who} is left out: the API server drops what names it unless feature gate {_GROUPS} is on, which is off "
            f"by default in {gates.version} (--feature-gates {switch})"
        )
        return Caveat(code=_DROPPED, message=text, may_change_answer=True)
    text = (
        f"{who} is not evaluated, each pod is judged alone; kube-scheduler places enough pods of a gang at once or "
        "none"
    )
    return Caveat(code=_NOT_EVALUATED, message=text, may_change_answer=True)


def _field(pod: Pod | AdmittedPod) -> str:
    """The field by which a pod of a group names it."""
    return "workloadRef" if pod.spec.scheduling_group is None else "schedulingGroup"
